/* For trying Qt 6.12 under Wine 8, which lacks the ICU of Windows: converters that do not exist. Never shipped. */
#define STUB(name) __declspec(dllexport) void *name(void) { return 0; }
#define FAILS(name, at) __declspec(dllexport) void *name(void *a, void *b, void *c, void *d) { int *e = at; if (e) *e = 16; return 0; }
STUB(UCNV_FROM_U_CALLBACK_SUBSTITUTE) STUB(UCNV_TO_U_CALLBACK_SUBSTITUTE) STUB(ucnv_cbFromUWriteUChars) STUB(ucnv_cbToUWriteUChars)
STUB(ucnv_close) STUB(ucnv_countAvailable) STUB(ucnv_fromUCountPending) STUB(ucnv_fromUnicode) STUB(ucnv_getAvailableName)
STUB(ucnv_getFromUCallBack) STUB(ucnv_getMaxCharSize) FAILS(ucnv_getName, b) FAILS(ucnv_getStandardName, d) STUB(ucnv_getToUCallBack)
FAILS(ucnv_open, b) STUB(ucnv_reset) STUB(ucnv_setFromUCallBack) STUB(ucnv_setToUCallBack) STUB(ucnv_toUCountPending) STUB(ucnv_toUnicode)
