/* For trying Qt 6.12 under Wine 8, whose own lacks WcsCreateIccProfile: no colour profiles. Never shipped. */
#define NONE(name) __declspec(dllexport) void *name(void) { return 0; }
NONE(WcsCreateIccProfile) NONE(OpenColorProfileW) NONE(CloseColorProfile) NONE(GetColorProfileFromHandle) NONE(GetColorDirectoryW)
NONE(WcsGetDefaultColorProfile) NONE(WcsGetDefaultColorProfileSize) NONE(GetStandardColorSpaceProfileW) NONE(ColorProfileGetDisplayDefault)
