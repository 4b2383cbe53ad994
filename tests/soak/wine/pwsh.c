/* For trying commands under Wine 8, which has no PowerShell: has cmd.exe run the middle line of the script that
   desktop/tools/exec/environment.py makes. Never shipped. */
#include <windows.h>
#include <wincrypt.h>
#include <stdio.h>
int wmain(int count, wchar_t **words)
{
    static BYTE script[1 << 16];
    static wchar_t command[1 << 15];
    DWORD size = sizeof script - 2, code = 1;
    STARTUPINFOW how = {sizeof how};
    PROCESS_INFORMATION made;
    wchar_t *line;
    for (int at = 1; at + 1 < count; at++)
        if (!wcscmp(words[at], L"-EncodedCommand") &&
            CryptStringToBinaryW(words[at + 1], 0, CRYPT_STRING_BASE64, script, &size, NULL, NULL)) {
            line = wcschr((wchar_t *)script, L'\n') + 1;
            *wcschr(line, L'\n') = 0;
            swprintf(command, sizeof command / 2, L"cmd.exe /c %ls", line);
            if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &how, &made)) return 2;
            WaitForSingleObject(made.hProcess, INFINITE);
            GetExitCodeProcess(made.hProcess, &code);
            return code;
        }
    return 3;
}
