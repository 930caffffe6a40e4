/** `https`, or `http` on this computer. */
export function isIssuerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  const isPlain = username === '' && password === '' && search === '' && hash === '';
  return isPlain && (protocol === 'https:' || (protocol === 'http:' && isLocal));
}
