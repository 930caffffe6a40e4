import { fileURLToPath } from 'node:url';
import { column, readCsv, tableOf, type Table } from './csv.js';

/** The CSV files stay where they are; only this file is compiled, to `dist/examples`. */
const DIRECTORY = fileURLToPath(new URL('../../examples/plant', import.meta.url));

/** Where a location or a piece of equipment names who looks after it. */
const workCentre = { name: 'Work Center', options: { target: { entity: 'list', table: 'Work Centers' } } } as const;

/**
 * A dairy that does not exist, as it would come out of SAP: tables and primary keys named as in section 2.4 of the
 * interface specification, columns keyed by SAP's field names, so that a nightly job can send its rows as they are.
 */
export async function plantTables(): Promise<Table[]> {
  return [await workCenters(), await priorities(), await functionalLocations(), await equipment()];
}

async function workCenters(): Promise<Table> {
  const columns = [
    column('PM_WKCTR', 'text', { primaryKey: true, description: 'SAP object number, with its leading zeros' }),
    column('ARBPL', 'text', { name: 'Code' }),
    column('KTEXT', 'text', { name: 'Description' }),
    column('WERKS', 'text', { name: 'Site' }),
    column('LVORM', 'checkbox', { name: 'Deletion Flag' }),
  ];
  return tableOf('list', 'Work Centers', columns, await readCsv(DIRECTORY, 'work-centres.csv'));
}

async function priorities(): Promise<Table> {
  const columns = [
    column('PRIOK', 'text', { primaryKey: true }),
    column('PRIOKX', 'text', { name: 'Description' }),
    column('DIFF_START_MS', 'number', { name: 'Start Within (ms)' }),
    column('DIFF_END_MS', 'number', { name: 'End Within (ms)' }),
  ];
  return tableOf('list', 'Priorities', columns, await readCsv(DIRECTORY, 'priorities.csv'));
}

async function functionalLocations(): Promise<Table> {
  const columns = [
    column('TPLNR', 'text', { primaryKey: true }),
    column('PLTXT', 'text', { name: 'Name', required: true }),
    column('EQART', 'text', { name: 'Object Type' }),
    column('TPLMA', 'hierarchyParent', { name: 'Parent' }),
    column('SWERK', 'text', { name: 'Site' }),
    column('ABCKZ', 'text', { name: 'Criticality', description: 'A stops the plant, C can wait' }),
    column('KOSTL', 'text', { name: 'Cost Center' }),
    column('GEWRK', 'reference', workCentre),
  ];
  return tableOf('location', 'Functional Locations', columns, await readCsv(DIRECTORY, 'functional-locations.csv'));
}

async function equipment(): Promise<Table> {
  const columns = [
    column('EQUNR', 'text', { primaryKey: true }),
    column('EQKTX', 'text', { name: 'Name', required: true }),
    column('EQART', 'text', { name: 'Object Type' }),
    column('TPLNR', 'reference', {
      name: 'Functional Location',
      options: { target: { entity: 'location', table: 'Functional Locations' } },
    }),
    column('HEQUI', 'hierarchyParent', { name: 'Superior Equipment' }),
    column('HERST', 'text', { name: 'Manufacturer' }),
    column('TYPBZ', 'text', { name: 'Model' }),
    column('SERGE', 'text', { name: 'Serial Number' }),
    column('BAUJJ', 'number', { name: 'Year Built' }),
    column('INBDT', 'date', { name: 'Start-up Date', description: "YYYYMMDD; SAP's 00000000 is no date" }),
    column('ABCKZ', 'text', { name: 'Criticality' }),
    column('SAFETY', 'checkbox', { name: 'Safety Critical' }),
    column('GEWRK', 'reference', workCentre),
    column('STATUS', 'tagStatus', {
      name: 'Status',
      description: 'installed, available in the store, inactive',
      options: { choices: ['INST', 'AVLB', 'INAC'] },
    }),
    column('BRGEW', 'number', { name: 'Weight (kg)' }),
    column('ANSWT', 'number', { name: 'Acquisition Value (EUR)' }),
    column('ROOM', 'space', { name: 'Room' }),
    column('TAG', 'locationTag', { name: 'Tag' }),
  ];
  return tableOf('asset', 'Assets', columns, await readCsv(DIRECTORY, 'equipment.csv'));
}
