import type { ColumnType, Entity } from '@atrium/client';

/** How a field of SAP becomes a column. */
export interface SapField {
  key: string;
  name: string;
  /** Numbers with leading zeros and codes are texts. */
  type: ColumnType;
  /** The rows that the values name: of the same table, or of another one. */
  parent?: true;
  target?: { entity: Entity; table: string };
  /** Of a key: the field with the name of what it identifies. */
  nameField?: string;
}

/** The tables whose rows other exports name. */
const LOCATIONS = { entity: 'location', table: 'Functional Locations' } as const;
const EQUIPMENT = { entity: 'asset', table: 'Equipment' } as const;

/** Fields of functional locations and equipment (transactions IH06 and IH08, tables IFLOT, ILOA, EQUI and EQUZ). */
const SAP_FIELDS: ReadonlyMap<string, SapField> = new Map(
  Object.entries({
    TPLNR: {
      key: 'functional_location',
      name: 'Functional location',
      type: 'text',
      target: LOCATIONS,
      nameField: 'PLTXT',
    },
    STRNO: { key: 'location_label', name: 'Label of the functional location', type: 'text' },
    PLTXT: { key: 'location_name', name: 'Name of the functional location', type: 'text' },
    TPLMA: { key: 'superior_location', name: 'Superior functional location', type: 'text', parent: true },
    FLTYP: { key: 'location_category', name: 'Category of the functional location', type: 'text' },
    EQUNR: { key: 'equipment', name: 'Equipment', type: 'text', target: EQUIPMENT, nameField: 'EQKTX' },
    EQKTX: { key: 'equipment_name', name: 'Name of the equipment', type: 'text' },
    HEQUI: { key: 'superior_equipment', name: 'Superior equipment', type: 'text', parent: true },
    EQTYP: { key: 'equipment_category', name: 'Equipment category', type: 'text' },
    EQART: { key: 'object_type', name: 'Object type', type: 'text' },
    BRGEW: { key: 'gross_weight', name: 'Gross weight', type: 'number' },
    GEWEI: { key: 'weight_unit', name: 'Unit of weight', type: 'text' },
    GROES: { key: 'size', name: 'Size', type: 'text' },
    INBDT: { key: 'start_up_date', name: 'Start-up date', type: 'date' },
    ANSDT: { key: 'acquisition_date', name: 'Acquisition date', type: 'date' },
    ANSWT: { key: 'acquisition_value', name: 'Acquisition value', type: 'number' },
    WAERS: { key: 'currency', name: 'Currency', type: 'text' },
    DATAB: { key: 'valid_from', name: 'Valid from', type: 'date' },
    DATBI: { key: 'valid_to', name: 'Valid to', type: 'date' },
    ERDAT: { key: 'created_on', name: 'Created on', type: 'date' },
    AEDAT: { key: 'changed_on', name: 'Changed on', type: 'date' },
    ERNAM: { key: 'created_by', name: 'Created by', type: 'text' },
    AENAM: { key: 'changed_by', name: 'Changed by', type: 'text' },
    LVORM: { key: 'deletion_flag', name: 'Deletion flag', type: 'checkbox' },
    SWERK: { key: 'maintenance_plant', name: 'Maintenance plant', type: 'text' },
    IWERK: { key: 'planning_plant', name: 'Planning plant', type: 'text' },
    INGRP: { key: 'planner_group', name: 'Planner group', type: 'text' },
    ARBPL: { key: 'work_center', name: 'Work center', type: 'text' },
    GEWRK: { key: 'main_work_center', name: 'Main work center', type: 'text' },
    BEBER: { key: 'plant_section', name: 'Plant section', type: 'text' },
    STORT: { key: 'location', name: 'Location', type: 'text' },
    MSGRP: { key: 'room', name: 'Room', type: 'text' },
    ABCKZ: { key: 'abc_indicator', name: 'ABC indicator', type: 'text' },
    KOSTL: { key: 'cost_center', name: 'Cost center', type: 'text' },
    BUKRS: { key: 'company_code', name: 'Company code', type: 'text' },
    ANLNR: { key: 'asset_number', name: 'Asset number', type: 'text' },
    MATNR: { key: 'material', name: 'Material', type: 'text' },
    HERST: { key: 'manufacturer', name: 'Manufacturer', type: 'text' },
    HERLD: { key: 'manufacturer_country', name: 'Country of the manufacturer', type: 'text' },
    TYPBZ: { key: 'model_number', name: 'Model number', type: 'text' },
    SERGE: { key: 'manufacturer_serial_number', name: 'Serial number of the manufacturer', type: 'text' },
    SERNR: { key: 'serial_number', name: 'Serial number', type: 'text' },
    BAUJJ: { key: 'construction_year', name: 'Year of construction', type: 'text' },
    BAUMM: { key: 'construction_month', name: 'Month of construction', type: 'text' },
  }),
);

/** A field by its name in a file, in any letter case. */
export const findSapField = (name: string): SapField | undefined => SAP_FIELDS.get(name.trim().toUpperCase());

/** The keys of the exports, the first of which a file has is its primary key. */
export const SAP_KEYS = ['EQUNR', 'TPLNR'] as const;
