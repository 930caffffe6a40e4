/** Is the text percent-encoded UTF-8, or has nothing to decode? */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
