import type { ColumnType, Entity } from '@atrium/client';

/**
 * How a field of SAP becomes a column. The keys are those of the webhook, so that both can write one table: the name of
 * the field in lower case, apart from `key`, `name` of the field with the name, and `parent` of the hierarchy.
 */
export interface SapField {
  name: string;
  key?: string;
  /** Of a field that refers to another table. */
  referenceKey?: string;
  /** Numbers with leading zeros and codes are texts. */
  type: ColumnType;
  /** The table whose rows the values name. */
  target?: { entity: Entity; table: string };
  /** Of a key: the field with the name of what it identifies. */
  nameField?: string;
  /** Of a key: the field with the key of the parent. */
  parentField?: string;
}

/** The tables whose rows other exports name. */
const LOCATIONS = { entity: 'location', table: 'Functional Locations' } as const;
const EQUIPMENT = { entity: 'asset', table: 'Equipment' } as const;

/**
 * Fields of functional locations and equipment (transactions IH06 and IH08, tables IFLOT, ILOA, EQUI and EQUZ). In a
 * table, no name is that of another field or its key.
 */
export const SAP_FIELDS: ReadonlyMap<string, SapField> = new Map(
  Object.entries({
    TPLNR: {
      name: 'Functional location',
      referenceKey: 'location',
      type: 'text',
      target: LOCATIONS,
      nameField: 'PLTXT',
      parentField: 'TPLMA',
    },
    STRNO: { name: 'Label of the functional location', type: 'text' },
    PLTXT: { name: 'Name of the functional location', type: 'text' },
    TPLMA: { name: 'Superior functional location', type: 'text' },
    FLTYP: { name: 'Category of the functional location', type: 'text' },
    EQUNR: { name: 'Equipment', type: 'text', target: EQUIPMENT, nameField: 'EQKTX', parentField: 'HEQUI' },
    EQKTX: { name: 'Name of the equipment', type: 'text' },
    HEQUI: { name: 'Superior equipment', type: 'text' },
    EQTYP: { name: 'Equipment category', type: 'text' },
    EQART: { name: 'Object type', key: 'object_type', type: 'text' },
    BRGEW: { name: 'Gross weight', type: 'number' },
    GEWEI: { name: 'Unit of weight', type: 'text' },
    GROES: { name: 'Size', type: 'text' },
    INBDT: { name: 'Start-up date', type: 'date' },
    ANSDT: { name: 'Acquisition date', type: 'date' },
    ANSWT: { name: 'Acquisition value', type: 'number' },
    WAERS: { name: 'Currency', type: 'text' },
    DATAB: { name: 'Valid from', type: 'date' },
    DATBI: { name: 'Valid to', type: 'date' },
    ERDAT: { name: 'Created on', type: 'date' },
    AEDAT: { name: 'Changed on', type: 'date' },
    ERNAM: { name: 'Created by', type: 'text' },
    AENAM: { name: 'Changed by', type: 'text' },
    LVORM: { name: 'Deletion flag', type: 'checkbox' },
    SWERK: { name: 'Maintenance plant', type: 'text' },
    IWERK: { name: 'Planning plant', type: 'text' },
    WERKS: { name: 'Plant', type: 'text' },
    INGRP: { name: 'Planner group', type: 'text' },
    ARBPL: { name: 'Work center', type: 'text' },
    GEWRK: { name: 'Main work center', type: 'text' },
    VERWE: { name: 'Category of the work center', type: 'text' },
    BEBER: { name: 'Plant section', type: 'text' },
    STORT: { name: 'Location of the maintenance object', type: 'text' },
    MSGRP: { name: 'Room', type: 'text' },
    ABCKZ: { name: 'ABC indicator', type: 'text' },
    KOSTL: { name: 'Cost center', type: 'text' },
    BUKRS: { name: 'Company code', type: 'text' },
    GSBER: { name: 'Business area', type: 'text' },
    KOKRS: { name: 'Controlling area', type: 'text' },
    PRCTR: { name: 'Profit center', type: 'text' },
    LGORT: { name: 'Storage location', type: 'text' },
    ANLNR: { name: 'Asset number', type: 'text' },
    MATNR: { name: 'Material', type: 'text' },
    HERST: { name: 'Manufacturer', type: 'text' },
    HERLD: { name: 'Country of the manufacturer', type: 'text' },
    TYPBZ: { name: 'Model number', type: 'text' },
    SERGE: { name: 'Serial number of the manufacturer', type: 'text' },
    SERNR: { name: 'Serial number', type: 'text' },
    BAUJJ: { name: 'Year of construction', type: 'text' },
    BAUMM: { name: 'Month of construction', type: 'text' },
  }),
);

/** A field by its name in a file, in any letter case. */
export const findSapField = (name: string): SapField | undefined => SAP_FIELDS.get(name.trim().toUpperCase());

/** The keys of the exports, the first of which a file has is its primary key. */
export const SAP_KEYS = ['EQUNR', 'TPLNR'] as const;
