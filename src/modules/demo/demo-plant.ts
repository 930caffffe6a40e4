import type { AccessPolicyInputDto } from '../access-policies/access-policies.service.js';
import { ANY_TABLE } from '../../../packages/tables/src/catalog/view.js';
import type { NoteRulesService } from '../notes/note-rules.service.js';

const LOCATIONS = 'Demo Locations';

/** What the second user of the demo may do: maintain the equipment of one part of the plant. */
export const DEMO_POLICY: AccessPolicyInputDto = {
  name: 'Utilities of the demo plant',
  tables: [
    { entity: 'locations', table: LOCATIONS, under: 'VIE-UTL' },
    {
      entity: 'assets',
      table: 'Demo Equipment',
      filter: { location: { in: ['VIE-UTL', 'VIE-UTL-CW', 'VIE-UTL-ST'] } },
      columns: { readOnly: ['weight'] },
      write: true,
    },
    { entity: 'lists', table: ANY_TABLE },
  ],
};

/** A table whose loads need approval, and loads that wait for it. */
export const DEMO_APPROVAL = {
  table: {
    entity: 'list',
    name: 'Demo Spare Parts',
    columns: [
      { name: 'Number', type: 'text' },
      { name: 'Name', type: 'text' },
      { name: 'Stock', type: 'number', options: { minimum: 0 } },
    ],
    items: [
      { number: 'SP-100', name: 'Mechanical seal', stock: 4 },
      { number: 'SP-101', name: 'Ball bearing 6205', stock: 12 },
      { number: 'SP-102', name: 'Gasket DN 50', stock: 30 },
    ],
  },
  options: { approval: { required: true, expiresAfterDays: 90 } },
  loads: [
    [
      { number: 'SP-102', stock: 0 },
      { number: 'SP-104', name: 'Gasket DN 80', stock: 8 },
    ],
    [
      { number: 'SP-100', stock: 2 },
      { number: 'SP-103', name: 'Temperature sensor', stock: 5 },
    ],
  ],
} as const;

/** A small fictitious dairy. `npm run example` loads a larger one into tables with other names. */
export const DEMO_TABLES = [
  {
    entity: 'list',
    name: 'Demo Priorities',
    columns: [
      { name: 'Code', type: 'text' },
      { name: 'Name', type: 'text' },
      { name: 'Days', type: 'number' },
    ],
    items: [
      { code: 'low', name: 'Low', days: 30 },
      { code: 'medium', name: 'Medium', days: 7 },
      { code: 'high', name: 'High', days: 1 },
    ],
  },
  {
    entity: 'list',
    name: 'Demo Categories',
    columns: [
      { name: 'Code', type: 'text' },
      { name: 'Name', type: 'text' },
    ],
    items: [
      { code: 'mechanical', name: 'Mechanics' },
      { code: 'electrical', name: 'Electrics' },
      { code: 'service', name: 'Lubrication and cleaning' },
    ],
  },
  {
    entity: 'list',
    name: 'Demo Work Centers',
    columns: [
      { name: 'Code', type: 'text' },
      { name: 'Name', type: 'text' },
    ],
    items: [
      { code: 'MECH', name: 'Mechanical workshop' },
      { code: 'ELEC', name: 'Electrical workshop' },
    ],
  },
  {
    entity: 'location',
    name: LOCATIONS,
    columns: [
      { name: 'TPLNR', type: 'text' },
      { name: 'Name', type: 'text' },
      { name: 'Parent', type: 'hierarchyParent' },
    ],
    items: [
      { tplnr: 'VIE', name: 'Vienna dairy', parent: '' },
      { tplnr: 'VIE-UTL', name: 'Utilities', parent: 'VIE' },
      { tplnr: 'VIE-UTL-CW', name: 'Cooling water', parent: 'VIE-UTL' },
      { tplnr: 'VIE-UTL-ST', name: 'Steam', parent: 'VIE-UTL' },
      { tplnr: 'VIE-PRC', name: 'Processing', parent: 'VIE' },
      { tplnr: 'VIE-PRC-PAS', name: 'Pasteuriser', parent: 'VIE-PRC' },
      { tplnr: 'VIE-PKG', name: 'Packaging', parent: 'VIE' },
      { tplnr: 'VIE-PKG-L1', name: 'Filling line 1', parent: 'VIE-PKG' },
    ],
  },
  {
    entity: 'asset',
    name: 'Demo Equipment',
    columns: [
      { name: 'EQUNR', type: 'text' },
      { name: 'Name', type: 'text' },
      { key: 'weight', name: 'Weight in kg', type: 'number' },
      {
        name: 'Location',
        type: 'reference',
        options: { target: { entity: 'location', table: LOCATIONS } },
      },
      {
        name: 'Work Center',
        type: 'reference',
        options: { target: { entity: 'list', table: 'Demo Work Centers' } },
      },
    ],
    items: [
      { equnr: '10001001', name: 'Cooling water pump 1', weight: 180.5, location: 'VIE-UTL-CW', work_center: 'MECH' },
      { equnr: '10001002', name: 'Cooling water pump 2', weight: 180.5, location: 'VIE-UTL-CW', work_center: 'MECH' },
      { equnr: '10001003', name: 'Steam boiler', weight: 5200, location: 'VIE-UTL-ST', work_center: 'MECH' },
      { equnr: '10001004', name: 'Plate heat exchanger', weight: 640, location: 'VIE-PRC-PAS', work_center: 'MECH' },
      { equnr: '10001005', name: 'Filling machine', weight: 2100, location: 'VIE-PKG-L1', work_center: 'ELEC' },
    ],
  },
] as const;

export const DEMO_TOUR = {
  externalId: 'demo-tour',
  title: 'Utilities, ground floor',
  status: 'published',
  provider: 'matterport',
  providerModelId: 'SxQL3iGyoDo',
  scenes: [{ id: 's1', label: 'At the cooling water pumps' }],
} as const;

export const DEMO_TAGS = [
  {
    externalId: 'demo-tag-1',
    label: 'Cooling water pump 1',
    sceneId: 's1',
    anchorPosition: { x: 1.25, y: 0.8, z: -3.5 },
    asset: '10001001',
    assetKey: 'Demo Equipment',
  },
  {
    externalId: 'demo-tag-2',
    label: 'Cooling water',
    sceneId: 's1',
    anchorPosition: { x: 2.1, y: 1.1, z: -2.4 },
    location: 'VIE-UTL-CW',
    locationKey: LOCATIONS,
  },
];

/** The fields of notes. The examples of the documents have their values. */
export const DEMO_NOTE_FIELDS: Parameters<NoteRulesService['changeFields']>[1] = [
  { key: 'priority', name: 'Priority', type: 'row', table: 'Demo Priorities' },
  { key: 'category', name: 'Category', type: 'row', table: 'Demo Categories' },
  { key: 'workCenter', name: 'Work center', type: 'row', table: 'Demo Work Centers' },
  { key: 'downtime', name: 'Downtime in hours', type: 'number' },
];

/** The first note gets the photo. */
export const DEMO_NOTES = [
  {
    externalId: 'demo-note-1',
    title: 'Leak at pump 1',
    description: 'Water on the floor below the coupling.',
    status: 'open',
    priority: 'high',
    category: 'mechanical',
    workCenter: 'MECH',
    fields: { downtime: 1.5 },
    location: 'VIE-UTL-CW',
    locationKey: LOCATIONS,
  },
  {
    externalId: 'demo-note-2',
    title: 'Grease the bearings of the filling machine',
    status: 'in_progress',
    priority: 'low',
    category: 'service',
    workCenter: 'MECH',
    location: 'VIE-PKG-L1',
    locationKey: LOCATIONS,
  },
];

/** A schematic photo: a pump with a puddle. */
export const DEMO_PHOTO = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
<rect width="640" height="480" fill="#cfd8dc"/><rect y="360" width="640" height="120" fill="#90a4ae"/>
<ellipse cx="330" cy="410" rx="170" ry="28" fill="#4fc3f7"/>
<rect x="60" y="210" width="220" height="120" rx="18" fill="#1565c0"/><rect x="90" y="330" width="160" height="30" fill="#37474f"/>
<rect x="280" y="255" width="70" height="30" fill="#b0bec5"/><circle cx="430" cy="270" r="90" fill="#1976d2"/>
<circle cx="430" cy="270" r="34" fill="#0d47a1"/><rect x="400" y="60" width="60" height="130" fill="#78909c"/>
</svg>`;
