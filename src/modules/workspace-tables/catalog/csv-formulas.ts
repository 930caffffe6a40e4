/** The first characters of formulas in spreadsheets, including full-width ones (OWASP, CSV injection). */
export const FORMULA_BEGINNINGS = ['=', '+', '-', '@', '\t', '\r', '\n', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20'];
