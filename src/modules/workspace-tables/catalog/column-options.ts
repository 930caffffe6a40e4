import type { ColumnOptions, ColumnType } from './column-types.js';

/** Options that mean something for columns of one type alone. */
const TYPE_OF = { target: 'reference', choices: 'tagStatus' } as const satisfies Partial<
  Record<keyof ColumnOptions, ColumnType>
>;

/** A fault for each option that means nothing for the column's type. */
export function strangeOptions(
  { key, type }: { key: string; type: ColumnType },
  options: { [Option in keyof ColumnOptions]?: unknown },
) {
  return (Object.keys(TYPE_OF) as (keyof typeof TYPE_OF)[])
    .filter((option) => (options[option] ?? null) !== null && TYPE_OF[option] !== type)
    .map((option) => {
      const message = `The option "${option}" is for ${TYPE_OF[option]} columns; "${key}" is a ${type} column.`;
      return { column: key, code: 'invalid_option' as const, message };
    });
}
