/** The `Link` header that leads to the next page; empty on the last. */
export function nextPageLink(publicUrl: string, path: string, nextCursor: string | null): Record<string, string> {
  if (nextCursor === null) return {};
  const url = new URL(publicUrl + path);
  url.searchParams.set('cursor', nextCursor);
  return { Link: `<${url.href}>; rel="next"` };
}
