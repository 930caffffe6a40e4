/** Sizes of the export, and of what is wrong in it. */
export const SAP_EXPORT = {
  locations: 3_000,
  equipment: 30_000,
  duplicates: 60,
  missingParents: 5,
  missingLocations: 150,
};

const NAMES = ['Pumpe Süd', 'Kühlwasser', 'Fördergerät', 'Ventil', 'Meßstelle'];

const field = (text: string, width: number): string => text.slice(0, width).padEnd(width);

/** Locations in six levels, in reverse order, so that each one precedes its parent. */
export function locationLines(): Buffer {
  const keys = ['AT10'];
  for (let parent = 0; keys.length < SAP_EXPORT.locations; parent++)
    for (let child = 0; child < 5 && keys.length < SAP_EXPORT.locations; child++)
      keys.push(`${keys[parent]!}-${String.fromCharCode(65 + child)}`);
  const lines = keys.map((key, index) => {
    const isMissing = index > 0 && index <= SAP_EXPORT.missingParents;
    const parent = isMissing ? `LOST-${index}` : key.split('-').slice(0, -1).join('-');
    return (
      field(key, 30) +
      field(NAMES[index % NAMES.length]!, 40) +
      field(index % 2 ? 'GEB' : 'ANL', 10) +
      field(parent, 30)
    );
  });
  return Buffer.from(`${lines.reverse().join('\r\n')}\r\n`, 'latin1');
}

/** Equipment at these locations; the first rows occur again at the end, with another name. */
export function equipmentLines(locations: string[]): Buffer {
  const line = (index: number, name: string): string => {
    const isLost = index % (SAP_EXPORT.equipment / SAP_EXPORT.missingLocations) === 7;
    const location = isLost ? `GONE-${index}` : locations[index % locations.length]!;
    return [
      field(String(10_000_000 + index).padStart(18, '0'), 18),
      field(name, 40),
      field(location, 30),
      field('PUMP', 10),
      `${(index % 5_000).toLocaleString('de-DE')},500${index % 100 === 99 ? '-' : ' '}`.padStart(14),
      index % 3 === 0 ? '00.00.0000' : '31.01.2024',
      index % 10 === 0 ? 'X' : ' ',
    ].join('');
  };
  const lines = Array.from({ length: SAP_EXPORT.equipment }, (_, index) => line(index, NAMES[index % NAMES.length]!));
  for (let index = 0; index < SAP_EXPORT.duplicates; index++) lines.push(line(index, 'Ersatz'));
  return Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1');
}
