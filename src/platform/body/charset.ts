/** The parameter of a Content-Type, with or without quotes. */
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)"?/i;

/** Labels of UTF-8 in the WHATWG Encoding Standard, and of ASCII, whose texts are UTF-8, too. */
const UTF8_LABELS = new Set(['utf-8', 'utf8', 'unicode-1-1-utf-8', 'us-ascii', 'ascii']);

/** The charset of a Content-Type unless its texts are UTF-8. */
export function findOtherCharset(contentType: string): string | undefined {
  const [, charset] = CHARSET.exec(contentType) ?? [];
  return charset === undefined || UTF8_LABELS.has(charset.toLowerCase()) ? undefined : charset;
}

export function withoutCharset(contentType: string): string {
  return contentType.replace(CHARSET, '');
}
