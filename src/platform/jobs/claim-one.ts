/**
 * Entries of a queue that a claim considers: more than there are instances, so that each finds one that no other
 * claims.
 */
export const MAX_CANDIDATES = 20;

/**
 * Claims one of several entries, in random order, so that instances which found them at the same time rarely claim the
 * same one.
 *
 * @param claim writes the entry if it is still due. It returns undefined if another instance has claimed the entry.
 */
export async function claimOne<Candidate, Claimed>(
  candidates: readonly Candidate[],
  claim: (candidate: Candidate) => Promise<Claimed | undefined>,
): Promise<Claimed | undefined> {
  const remaining = [...candidates];
  while (remaining.length > 0) {
    const [candidate] = remaining.splice(Math.floor(Math.random() * remaining.length), 1);
    const claimed = await claim(candidate!);
    if (claimed !== undefined) return claimed;
  }
  return undefined;
}
