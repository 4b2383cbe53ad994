; What the installer says besides NSIS' own words, in English and Chinese.
!macro Words name english chinese
  LangString ${name} ${LANG_ENGLISH} "${english}"
  LangString ${name} ${LANG_SIMPCHINESE} "${chinese}"
!macroend

!insertmacro Words WHAT "Personal AI agent in the system tray" "常驻系统托盘的个人 AI 助手"
!insertmacro Words LOGIN "Start at login" "登录时启动"
!insertmacro Words LOGIN_WHY "Starts in the tray when you sign in to Windows, so that reminders and tasks run." \
  "登录 Windows 时在托盘中启动，提醒和任务才会运行。"
!insertmacro Words DESKTOP_SHORTCUT "Desktop shortcut" "桌面快捷方式"
!insertmacro Words TOO_OLD "Nanobot Desktop needs Windows 10, version 1809 or later." \
  "Nanobot Desktop 需要 Windows 10 1809 或更高版本。"
!insertmacro Words NEWER "A newer version, $1, is installed. Replace it with ${VERSION}?$\n$\nIt may not read what the newer version wrote." \
  "已安装较新的版本 $1。要替换为 ${VERSION} 吗？$\n$\n它可能无法读取新版本写入的内容。"
!insertmacro Words QUITTING "Waiting for Nanobot to quit. It finishes its answers first." "正在等待 Nanobot 退出。它会先完成回答。"
!insertmacro Words BUSY "Nanobot is still running.$\n$\nRetry waits for its answers again. Ignore stops them; the text so far is kept.$\nAbort leaves everything as it was." \
  "Nanobot 仍在运行。$\n$\n“重试”会再次等待它完成回答。“忽略”会停止回答，已有的文字会保留。$\n“中止”则不作任何更改。"
!insertmacro Words IN_USE "A file of Nanobot Desktop is in use. The version that was installed stays.$\n$\nClose other programs, then start Setup again." \
  "Nanobot Desktop 的某个文件正在使用中，原来的版本保持不变。$\n$\n关闭其他程序，然后重新运行安装程序。"
!insertmacro Words DATA "Your data" "你的数据"
!insertmacro Words DATA_WHERE "$LOCALAPPDATA\${PROGRAM}" "$LOCALAPPDATA\${PROGRAM}"
!insertmacro Words DATA_KEPT "Conversations, settings, memory and models stay on this computer, and keys in the Credential Manager. A later installation finds them again." \
  "对话、设置、记忆和模型会保留在这台电脑上，密钥保留在凭据管理器中。以后重新安装时仍可使用。"
!insertmacro Words PURGE "Delete my data, models and keys" "删除我的数据、模型和密钥"
