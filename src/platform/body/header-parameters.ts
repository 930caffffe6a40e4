/** The value of a header with parameters, such as `form-data; name="title"`. */
export interface ParameterizedValue {
  /** In lower case. */
  value: string;
  /** The parameters by their names in lower case. */
  parameters: ReadonlyMap<string, string>;
}

const VALUE = /\s*([^\s;,"]+)\s*/y;

/** A quoted text, or one without blanks. */
const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))\s*/y;

/** Senders may write an empty parameter at the end. */
const END = /[;\s]*$/y;

/** @returns undefined if the header is malformed, or names a parameter twice */
export function parseParameters(header: string): ParameterizedValue | undefined {
  const value = matchAt(VALUE, header, 0);
  if (!value) return undefined;
  const parameters = new Map<string, string>();
  let at = VALUE.lastIndex;
  for (let found = matchAt(PARAMETER, header, at); found; found = matchAt(PARAMETER, header, at)) {
    at = PARAMETER.lastIndex;
    const [, name = '', quoted, token = ''] = found;
    const key = name.toLowerCase();
    if (parameters.has(key)) return undefined;
    // Only quotes and backslashes are escaped; browsers of Windows sent whole paths.
    parameters.set(key, quoted === undefined ? token : quoted.replace(/\\(["\\])/g, '$1'));
  }
  return matchAt(END, header, at) ? { value: value[1]!.toLowerCase(), parameters } : undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
