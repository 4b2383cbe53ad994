; The installer for one person: no administrator, every file in their own folders. packaging/windows/package.sh
; makes it. Silent with /S; then also:
;   /LOGIN=1        start in the tray at login
;   /OLDER=1        take the place of a newer version
;   /D=C:\folder    where to, the last one given, without quotation marks
; The uninstaller keeps the person's data unless they tick the box, or with /S /PURGE=1.
; Exit codes: 0 done, 1 cancelled, 2 a file could not be written, 3 Windows is too old, 4 a newer version is
; there, 5 the running program did not quit.
Unicode true
Target amd64-unicode
!ifdef QUICK
  SetCompressor zlib
!else
  SetCompressor /SOLID lzma
  SetCompressorDictSize 64
!endif
SetDateSave off ; the same files make the same installer
ManifestDPIAware true
ManifestSupportedOS all
RequestExecutionLevel user
AllowSkipFiles off ; silent, a file that cannot be written ends it: a part of a program is no program

!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include WinVer.nsh
!include WordFunc.nsh
!include nsDialogs.nsh
!include Win\COM.nsh
!include Win\Propkey.nsh

!define NAME "Nanobot Desktop"
!define PROGRAM "nanobot-desktop"
!define WINDOW "${PROGRAM}.exe"
!define TERMINAL "${PROGRAM}.com"
!define AUMID "io.github.nanobot_desktop"
!define MAKER "Nanobot Desktop contributors"
!define CLASSES "Software\Classes"
!define RUN "Software\Microsoft\Windows\CurrentVersion\Run"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\NanobotDesktop"
!define VALUE "NanobotDesktop"
!define QT_NEEDS 17763 ; Windows 10, version 1809

Name "${NAME}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
InstallDirRegKey HKCU "${UNINSTALL}" "InstallLocation"
BrandingText "${NAME} ${VERSION}"
VIProductVersion "${NUMBERS}"
VIAddVersionKey ProductName "${NAME}"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey FileDescription "${NAME} Setup"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey CompanyName "${MAKER}"
VIAddVersionKey LegalCopyright "MIT License"
!ifdef SIGN
  !finalize '${SIGN} "%1"'
  !uninstfinalize '${SIGN} "%1"'
!endif

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_WELCOMEFINISHPAGE_BITMAP "${SIDE}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\${WINDOW}"
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
UninstPage custom un.AskAboutData un.DataAnswered
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English" ; without a match the first one is taken
!insertmacro MUI_LANGUAGE "SimpChinese"
!include words.nsh

Var Running ; 1 where the program ran when its files were to be replaced
Var Purge
Var PurgeBox

; ---- the running program

; Sets $Running. A program that runs has its libraries open, and Windows lets nobody write to them.
!macro Look un
Function ${un}Look
  StrCpy $Running 0
  ${If} ${FileExists} "$INSTDIR\_internal\python3*.dll"
    FindFirst $0 $1 "$INSTDIR\_internal\python3*.dll"
    ${DoWhile} $1 != ""
      ClearErrors
      FileOpen $2 "$INSTDIR\_internal\$1" a
      ${If} ${Errors}
        StrCpy $Running 1
      ${Else}
        FileClose $2
      ${EndIf}
      FindNext $0 $1
    ${Loop}
    FindClose $0
  ${EndIf}
FunctionEnd
!macroend

; Has the running program quit once its answers are done; ends the installer with 5 where it does not.
!macro AskToQuit un
Function ${un}AskToQuit
  Call ${un}Look
  ${If} $Running = 0
    Return
  ${EndIf}
  DetailPrint "$(QUITTING)"
  StrCpy $3 ""
  ${Do}
    nsExec::Exec /TIMEOUT=90000 '"$INSTDIR\${TERMINAL}" quit --wait 60 $3'
    Pop $0
    ; Its children go after it, and Windows is done with a file a moment after the last of them.
    ${ForEach} $4 1 50 + 1
      Sleep 100
      Call ${un}Look
      ${If} $Running = 0
        ${Break}
      ${EndIf}
    ${Next}
    ${If} $Running = 0
      StrCpy $Running 1
      Return
    ${EndIf}
    ${If} ${Silent}
      ${If} $3 != ""
        SetErrorLevel 5
        Abort
      ${EndIf}
      StrCpy $3 "--now"
    ${Else}
      MessageBox MB_ABORTRETRYIGNORE|MB_ICONEXCLAMATION "$(BUSY)" IDRETRY retry IDIGNORE now
      SetErrorLevel 5
      Abort
      now:
      StrCpy $3 "--now"
      retry:
    ${EndIf}
  ${Loop}
FunctionEnd
!macroend
!insertmacro Look ""
!insertmacro Look "un."
!insertmacro AskToQuit ""
!insertmacro AskToQuit "un."

; ---- one part of the program after the other takes its place

; Puts $INSTDIR\.new\PART where it belongs, what was there into $INSTDIR\.old.
!macro Swap part
  ClearErrors
  ${If} ${FileExists} "$INSTDIR\${part}"
    Rename "$INSTDIR\${part}" "$INSTDIR\.old\${part}"
  ${EndIf}
  ${IfNot} ${Errors}
    Rename "$INSTDIR\.new\${part}" "$INSTDIR\${part}"
  ${EndIf}
  IfErrors put_back
!macroend
!macro PutBack part
  ${If} ${FileExists} "$INSTDIR\.old\${part}"
    RMDir /r "$INSTDIR\${part}"
    Delete "$INSTDIR\${part}"
    Rename "$INSTDIR\.old\${part}" "$INSTDIR\${part}"
  ${EndIf}
!macroend

; What starts is in place last, what it needs before it.
Function TakePlace
  CreateDirectory "$INSTDIR\.old"
  !insertmacro Swap "_internal"
  !insertmacro Swap "${PROGRAM}.pkg"
  !insertmacro Swap "${TERMINAL}"
  !insertmacro Swap "${WINDOW}"
  RMDir /r "$INSTDIR\.old"
  RMDir /r "$INSTDIR\.new"
  Return
  put_back:
  !insertmacro PutBack "_internal"
  !insertmacro PutBack "${PROGRAM}.pkg"
  !insertmacro PutBack "${TERMINAL}"
  !insertmacro PutBack "${WINDOW}"
  RMDir /r "$INSTDIR\.old"
  RMDir /r "$INSTDIR\.new"
  MessageBox MB_OK|MB_ICONSTOP "$(IN_USE)" /SD IDOK
  SetErrorLevel 2
  Abort
FunctionEnd

; ---- what the system has to know

; The name by which Windows knows the program's notifications and its button in the taskbar.
Function NameShortcut
  !insertmacro ComHlpr_CreateInProcInstance ${CLSID_ShellLink} ${IID_IShellLink} r0 ""
  ${If} $0 P<> 0
    ${IUnknown::QueryInterface} $0 '("${IID_IPersistFile}",.r1)'
    ${If} $1 P<> 0
      ${IPersistFile::Load} $1 '("$SMPROGRAMS\${NAME}.lnk", ${STGM_READWRITE}).r2'
      ${IUnknown::QueryInterface} $0 '("${IID_IPropertyStore}",.r3)'
      ${If} $3 P<> 0
        System::Call 'Ole32::CoTaskMemAlloc(p 128)p.r6'
        System::Call '*$6(&w64 "${AUMID}")'
        System::Call '*${SYSSTRUCT_PROPERTYKEY}(${PKEY_AppUserModel_ID})p.r4'
        System::Call '*${SYSSTRUCT_PROPVARIANT}(${VT_LPWSTR},,p r6)p.r5'
        ${IPropertyStore::SetValue} $3 '($4,$5)'
        System::Free $4
        System::Free $5
        System::Call 'Ole32::CoTaskMemFree(p r6)'
        ${IPropertyStore::Commit} $3 ""
        ${IUnknown::Release} $3 ""
        ${IPersistFile::Save} $1 '("$SMPROGRAMS\${NAME}.lnk",1)'
      ${EndIf}
      ${IUnknown::Release} $1 ""
    ${EndIf}
    ${IUnknown::Release} $0 ""
  ${EndIf}
FunctionEnd

; Links that begin like this open in the program.
!macro Register scheme
  WriteRegStr HKCU "${CLASSES}\${scheme}" "" "URL:${NAME}"
  WriteRegStr HKCU "${CLASSES}\${scheme}" "URL Protocol" ""
  WriteRegStr HKCU "${CLASSES}\${scheme}\DefaultIcon" "" "$INSTDIR\${WINDOW},0"
  WriteRegStr HKCU "${CLASSES}\${scheme}\shell\open\command" "" '"$INSTDIR\${WINDOW}" "%1"'
!macroend
; Another program may have taken them over.
!macro Unregister scheme
  ReadRegStr $0 HKCU "${CLASSES}\${scheme}\shell\open\command" ""
  ReadRegStr $1 HKCU "${UNINSTALL}" "InstallLocation"
  ${If} $0 == '"$1\${WINDOW}" "%1"'
    DeleteRegKey HKCU "${CLASSES}\${scheme}"
  ${EndIf}
!macroend

; ---- installing

Section "!${NAME}" Main
  SectionIn RO
  ; All of it is there before the program that runs is disturbed: without room the old version stays as it is.
  RMDir /r "$INSTDIR\.new"
  SetOutPath "$INSTDIR\.new"
  File /r "${FOLDER}\*.*"
  SetOutPath "$INSTDIR"
  Call AskToQuit
  Call TakePlace
  WriteUninstaller "$INSTDIR\uninstall.exe"

  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\${WINDOW}" "" "$INSTDIR\${WINDOW}" 0 SW_SHOWNORMAL "" "$(WHAT)"
  Call NameShortcut
  !insertmacro Register "${PROGRAM}"
  ReadRegStr $0 HKCU "${CLASSES}\nanobot\shell\open\command" ""
  ${If} $0 == ""
    !insertmacro Register "nanobot"
  ${EndIf}
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\${WINDOW}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "${MAKER}"
  WriteRegStr HKCU "${UNINSTALL}" "URLInfoAbout" "${HOMEPAGE}"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" $0
  nsExec::Exec /TIMEOUT=30000 '"$INSTDIR\${TERMINAL}" --installed path'
  Pop $0
  SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
SectionEnd

; The program's own setting writes the same value, and its next start would take it away where it is off.
Section /o "$(LOGIN)" Login
  WriteRegStr HKCU "${RUN}" "${VALUE}" '"$INSTDIR\${WINDOW}" --hidden'
  nsExec::Exec /TIMEOUT=60000 '"$INSTDIR\${TERMINAL}" --installed login'
  Pop $0
SectionEnd

Section /o "$(DESKTOP_SHORTCUT)" Desktop
  CreateShortcut "$DESKTOP\${NAME}.lnk" "$INSTDIR\${WINDOW}"
SectionEnd

; Nobody is asked at the end of a silent upgrade: the program goes on in the tray.
Section
  ${If} ${Silent}
  ${AndIf} $Running = 1
    Exec '"$INSTDIR\${WINDOW}" --hidden'
  ${EndIf}
SectionEnd

!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${Main} "$(WHAT)"
  !insertmacro MUI_DESCRIPTION_TEXT ${Login} "$(LOGIN_WHY)"
!insertmacro MUI_FUNCTION_DESCRIPTION_END

Function .onInit
  ${IfNot} ${AtLeastBuild} ${QT_NEEDS}
    MessageBox MB_OK|MB_ICONSTOP "$(TOO_OLD)" /SD IDOK
    SetErrorLevel 3
    Abort
  ${EndIf}
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/LOGIN=1" $1
  ${IfNot} ${Errors}
    !insertmacro SelectSection ${Login}
  ${EndIf}
  ReadRegStr $1 HKCU "${UNINSTALL}" "DisplayVersion"
  ${If} $1 != ""
    ; What was chosen before stands.
    ReadRegStr $2 HKCU "${RUN}" "${VALUE}"
    ${If} $2 != ""
      !insertmacro SelectSection ${Login}
    ${EndIf}
    ${If} ${FileExists} "$DESKTOP\${NAME}.lnk"
      !insertmacro SelectSection ${Desktop}
    ${EndIf}
    ${VersionCompare} "$1" "${VERSION}" $2
    ${If} $2 = 1
      ClearErrors
      ${GetOptions} $0 "/OLDER=1" $3
      ${If} ${Errors}
        MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "$(NEWER)" /SD IDNO IDYES older
        SetErrorLevel 4
        Abort
        older:
      ${EndIf}
    ${EndIf}
  ${EndIf}
FunctionEnd

Function .onInstFailed
  SetOutPath "$TEMP" ; no folder can be removed in which this stands
  RMDir /r "$INSTDIR\.new"
  RMDir "$INSTDIR"
FunctionEnd

; ---- uninstalling

Function un.onInit
  StrCpy $Purge 0
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/PURGE=" $1
  ${IfNot} ${Errors}
    StrCpy $Purge $1
  ${EndIf}
FunctionEnd

Function un.AskAboutData
  !insertmacro MUI_HEADER_TEXT "$(DATA)" "$(DATA_WHERE)"
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateLabel} 0 0 100% 36u "$(DATA_KEPT)"
  Pop $0
  ${NSD_CreateCheckbox} 0 44u 100% 12u "$(PURGE)"
  Pop $PurgeBox
  nsDialogs::Show
FunctionEnd

Function un.DataAnswered
  ${NSD_GetState} $PurgeBox $Purge
FunctionEnd

Section "Uninstall"
  Call un.AskToQuit
  nsExec::Exec /TIMEOUT=30000 '"$INSTDIR\${TERMINAL}" --installed no-path'
  Pop $0
  SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
  ${If} $Purge = 1
    ; The keys in the Credential Manager, too, which nothing but the program can find.
    nsExec::Exec /TIMEOUT=60000 '"$INSTDIR\${TERMINAL}" wipe --sure'
    Pop $0
  ${EndIf}
  Delete "$SMPROGRAMS\${NAME}.lnk"
  Delete "$DESKTOP\${NAME}.lnk"
  DeleteRegValue HKCU "${RUN}" "${VALUE}"
  !insertmacro Unregister "${PROGRAM}"
  !insertmacro Unregister "nanobot"
  DeleteRegKey HKCU "${CLASSES}\AppUserModelId\${AUMID}" ; made by the program for its notifications
  DeleteRegKey HKCU "${UNINSTALL}"
  ; Only what the installer brought: the person may have put files of their own into the folder.
  RMDir /r "$INSTDIR\_internal"
  RMDir /r "$INSTDIR\.new"
  RMDir /r "$INSTDIR\.old"
  Delete "$INSTDIR\${PROGRAM}.pkg"
  Delete "$INSTDIR\${TERMINAL}"
  Delete "$INSTDIR\${WINDOW}"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  ${If} $Purge = 1
    RMDir /r "$LOCALAPPDATA\${PROGRAM}" ; desktop/paths.py: settings, conversations, and the models in Cache
  ${EndIf}
SectionEnd
