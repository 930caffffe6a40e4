/** An entity tag (RFC 9110, section 8.8.3): what stands between its quotes. */
interface EntityTag {
  weak: boolean;
  opaque: string;
}

/** One tag of a list, and what separates it from the next. */
const TAG = /[ \t,]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,|$)/gy;
const BETWEEN_TAGS = /^[ \t,]*$/;

/** The tags of a header such as `If-Match`; empty where it is no list of tags. */
export function parseEtags(header: string): EntityTag[] {
  const found = [...header.matchAll(TAG)];
  const rest = header.slice(found.reduce((length, [tag]) => length + tag.length, 0));
  return BETWEEN_TAGS.test(rest)
    ? found.map(([, weak, opaque]) => ({ weak: weak !== undefined, opaque: opaque! }))
    : [];
}

/**
 * Does `If-None-Match` name the tag? Weak and strong ones count as equal (RFC 9110, section 13.1.2). Express's own rule
 * gives way to `Cache-Control: no-cache`, which is meant for caches, and which fetch() adds to every conditional request.
 */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  const [current] = parseEtags(etag);
  return parseEtags(ifNoneMatch).some(({ opaque }) => opaque === current?.opaque);
}
