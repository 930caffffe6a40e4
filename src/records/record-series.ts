/**
 * Figures between each two neighbours of the bounds, from lines that `width_bucket` numbered by them: a bucket without a
 * line has nothing but zeros.
 */
export function figuresOf<F extends Record<keyof F, number>>(
  lines: readonly (F & { bucket: number })[],
  bounds: readonly Date[],
  none: F,
): F[] {
  const counted = new Map(lines.map(({ bucket, ...figures }) => [bucket, figures as unknown as F]));
  return bounds.slice(1).map((_, index) => counted.get(index + 1) ?? none);
}
