import { PaddedNumber } from '../../../../packages/tabular/src/workbook/cells.js';
import { compileMapping } from './convert-row.js';

it.each([
  ['text', '008'],
  ['number', 8],
] as const)('a value map of a %s column has the texts that a workbook displays', (type, other) => {
  const columns = [{ from: 'kind', type, map: [['007', 'valve'] as [string, string]] }];
  const { toSentRow } = compileMapping({ columns }, 'code');
  const sent = [7, 8].map((value) =>
    toSentRow({ line: 1, names: ['kind'], cells: [new PaddedNumber(value, `00${value}`, true)] }),
  );
  expect(sent).toEqual([{ kind: 'valve' }, { kind: other }]);
});
