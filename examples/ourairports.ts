import { column, readCsv, buildTable, type CsvRow, type Table } from './csv.js';

const REGIONS = 'Regions of the World';

const CONTINENTS: Record<string, string> = {
  AF: 'Africa',
  AN: 'Antarctica',
  AS: 'Asia',
  EU: 'Europe',
  NA: 'North America',
  OC: 'Oceania',
  SA: 'South America',
};

/**
 * The files contain references to airports, but no airports. The references are stored and reported as unresolved. They
 * resolve automatically when a Locations table "Airports" is loaded.
 */
const airport = { name: 'Airport', options: { target: { entity: 'location', table: 'Airports' } } } as const;

/** The CSV files of OurAirports (https://ourairports.com/data/, public domain), with every row and column. */
export async function ourAirportsTables(directory: string): Promise<Table[]> {
  return [
    regionsOfTheWorld(await readCsv(directory, 'countries.csv'), await readCsv(directory, 'regions.csv')),
    navaids(await readCsv(directory, 'navaids.csv')),
    runways(await readCsv(directory, 'runways.csv')),
    frequencies(await readCsv(directory, 'airport-frequencies.csv')),
  ];
}

/**
 * Continents, countries and regions in one tree. A table has one primary key, but the codes of continents (`NA`, North
 * America) collide with ISO codes of countries (`NA`, Namibia); ISO codes of regions (`NA-KH`, Khomas) do not. ISO
 * codes stay unchanged, so that references to countries resolve. The seven continents become `continent:NA`.
 */
function regionsOfTheWorld(countries: CsvRow[], regions: CsvRow[]): Table {
  const columns = [
    column('code', 'text', { name: 'Code', primaryKey: true }),
    column('name', 'text', { name: 'Name', required: true }),
    column('kind', 'text', { name: 'Kind', description: 'continent, country or region' }),
    column('parent', 'hierarchyParent', { name: 'Parent' }),
    column('local_code', 'text', { name: 'Local Code', description: 'text: 02 is not 2' }),
    column('continent', 'text', { name: 'Continent' }),
    column('iso_country', 'text', { name: 'Country' }),
    column('wikipedia_link', 'text', { name: 'Wikipedia' }),
    column('keywords', 'text', { name: 'Keywords' }),
    column('id', 'text', { name: 'OurAirports ID' }),
  ];
  const continents = new Set([...countries, ...regions].map(({ continent = '' }) => continent));
  const rows = [
    ...[...continents].map((code) => ({ code: continentKey(code), name: CONTINENTS[code] ?? code, kind: 'continent' })),
    ...countries.map((row) => ({ ...row, kind: 'country', parent: continentKey(row['continent']) })),
    ...regions.map((row) => ({ ...row, kind: 'region', parent: row['iso_country'] ?? '' })),
  ];
  return buildTable('location', REGIONS, columns, rows);
}

const continentKey = (code = ''): string => `continent:${code}`;

function navaids(rows: CsvRow[]): Table {
  const columns = [
    column('id', 'text', { name: 'ID', primaryKey: true }),
    column('filename', 'text', { name: 'File Name' }),
    column('ident', 'text', { name: 'Ident' }),
    column('name', 'text', { name: 'Name' }),
    column('type', 'text', { name: 'Type' }),
    column('frequency_khz', 'number', { name: 'Frequency (kHz)' }),
    column('latitude_deg', 'number', { name: 'Latitude (°)' }),
    column('longitude_deg', 'number', { name: 'Longitude (°)' }),
    column('elevation_ft', 'number', { name: 'Elevation (ft)' }),
    column('iso_country', 'reference', {
      name: 'Country',
      options: { target: { entity: 'location', table: REGIONS } },
    }),
    column('dme_frequency_khz', 'number', { name: 'DME Frequency (kHz)' }),
    column('dme_channel', 'text', { name: 'DME Channel' }),
    column('dme_latitude_deg', 'number', { name: 'DME Latitude (°)' }),
    column('dme_longitude_deg', 'number', { name: 'DME Longitude (°)' }),
    column('dme_elevation_ft', 'number', { name: 'DME Elevation (ft)' }),
    column('slaved_variation_deg', 'number', { name: 'Slaved Variation (°)' }),
    column('magnetic_variation_deg', 'number', { name: 'Magnetic Variation (°)' }),
    column('usageType', 'text', { name: 'Usage' }),
    column('power', 'text', { name: 'Power' }),
    column('associated_airport', 'text', { name: 'Associated Airport' }),
  ];
  return buildTable('asset', 'Navaids', columns, rows);
}

function runways(rows: CsvRow[]): Table {
  const columns = [
    column('id', 'text', { name: 'ID', primaryKey: true }),
    column('airport_ref', 'number', { name: 'Airport ID' }),
    column('airport_ident', 'reference', airport),
    column('length_ft', 'number', { name: 'Length (ft)' }),
    column('width_ft', 'number', { name: 'Width (ft)' }),
    column('surface', 'text', { name: 'Surface' }),
    column('lighted', 'checkbox', { name: 'Lighted' }),
    column('closed', 'checkbox', { name: 'Closed' }),
    ...runwayEnd('le', 'Low End'),
    ...runwayEnd('he', 'High End'),
  ];
  return buildTable('asset', 'Runways', columns, rows);
}

/** Each runway has two ends, named by their headings. The leading zero is part of the name: 09 and 27. */
const runwayEnd = (prefix: string, name: string) => [
  column(`${prefix}_ident`, 'text', { name: `${name}: Ident` }),
  column(`${prefix}_latitude_deg`, 'number', { name: `${name}: Latitude (°)` }),
  column(`${prefix}_longitude_deg`, 'number', { name: `${name}: Longitude (°)` }),
  column(`${prefix}_elevation_ft`, 'number', { name: `${name}: Elevation (ft)` }),
  column(`${prefix}_heading_degT`, 'number', { name: `${name}: True Heading (°)` }),
  column(`${prefix}_displaced_threshold_ft`, 'number', { name: `${name}: Displaced Threshold (ft)` }),
];

function frequencies(rows: CsvRow[]): Table {
  const columns = [
    column('id', 'text', { name: 'ID', primaryKey: true }),
    column('airport_ref', 'number', { name: 'Airport ID' }),
    column('airport_ident', 'reference', airport),
    column('type', 'text', { name: 'Type' }),
    column('description', 'text', { name: 'Description' }),
    column('frequency_mhz', 'number', { name: 'Frequency (MHz)' }),
  ];
  return buildTable('asset', 'Airport Frequencies', columns, rows);
}
