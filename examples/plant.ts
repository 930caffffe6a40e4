import { fileURLToPath } from 'node:url';
import { column, readCsv, buildTable, type Table } from './csv.js';

/** The CSV files are in the source folder; only this file is compiled, to `dist/examples`. */
const DIRECTORY = fileURLToPath(new URL('../../examples/plant', import.meta.url));

/** The work center that maintains a location or a piece of equipment. */
const workCentre = { name: 'Work Center', options: { target: { entity: 'list', table: 'Work Centers' } } } as const;

/**
 * A fictitious dairy, in the format of SAP exports. Tables and primary keys have the names of section 2.4 of the
 * interface specification. Column keys are those of the webhook and of `atrium init sap`: SAP's field names in lower
 * case, but `name`, `object_type`, `parent` and `location`.
 */
export async function plantTables(): Promise<Table[]> {
  return [await workCenters(), await priorities(), await functionalLocations(), await equipment()];
}

async function workCenters(): Promise<Table> {
  const columns = [
    column('PM_WKCTR', 'text', { primaryKey: true, description: 'SAP object number, with its leading zeros' }),
    column('ARBPL', 'text', { name: 'Code' }),
    column('KTEXT', 'text', { key: 'name', name: 'Name' }),
    column('WERKS', 'text', { name: 'Site' }),
    column('LVORM', 'checkbox', { name: 'Deletion Flag' }),
  ];
  return buildTable('list', 'Work Centers', columns, await readCsv(DIRECTORY, 'work-centres.csv'));
}

async function priorities(): Promise<Table> {
  const columns = [
    column('PRIOK', 'text', { primaryKey: true }),
    column('PRIOKX', 'text', { key: 'name', name: 'Name' }),
    column('DIFF_START_MS', 'number', { name: 'Start Within (ms)' }),
    column('DIFF_END_MS', 'number', { name: 'End Within (ms)' }),
  ];
  return buildTable('list', 'Priorities', columns, await readCsv(DIRECTORY, 'priorities.csv'));
}

async function functionalLocations(): Promise<Table> {
  const columns = [
    column('TPLNR', 'text', { primaryKey: true }),
    column('PLTXT', 'text', { key: 'name', name: 'Name', required: true }),
    column('EQART', 'text', { key: 'object_type', name: 'Object Type' }),
    column('TPLMA', 'hierarchyParent', { key: 'parent', name: 'Parent' }),
    column('SWERK', 'text', { name: 'Site' }),
    column('ABCKZ', 'text', { name: 'Criticality', description: 'A stops the plant, C can wait' }),
    column('KOSTL', 'text', { name: 'Cost Center' }),
    column('GEWRK', 'reference', workCentre),
  ];
  return buildTable('location', 'Functional Locations', columns, await readCsv(DIRECTORY, 'functional-locations.csv'));
}

async function equipment(): Promise<Table> {
  const columns = [
    column('EQUNR', 'text', { primaryKey: true }),
    column('EQKTX', 'text', { key: 'name', name: 'Name', required: true }),
    column('EQART', 'text', { key: 'object_type', name: 'Object Type' }),
    column('TPLNR', 'reference', {
      key: 'location',
      name: 'Functional Location',
      options: { target: { entity: 'location', table: 'Functional Locations' } },
    }),
    column('HEQUI', 'hierarchyParent', { key: 'parent', name: 'Superior Equipment' }),
    column('HERST', 'text', { name: 'Manufacturer' }),
    column('TYPBZ', 'text', { name: 'Model' }),
    column('SERGE', 'text', { name: 'Serial Number' }),
    column('BAUJJ', 'number', { name: 'Year Built' }),
    column('INBDT', 'date', { name: 'Start-up Date', description: "YYYYMMDD; SAP's 00000000 means no date" }),
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
  return buildTable('asset', 'Assets', columns, await readCsv(DIRECTORY, 'equipment.csv'));
}
