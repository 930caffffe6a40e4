/**
 * Writes the CSV files of this folder: the master data of "AT10, Werk Mühlviertel", a fictitious dairy.
 *
 *     node examples/plant/generate.mjs
 *
 * Every run writes the same bytes: the random numbers have a fixed seed. All makers and models are invented. The
 * columns have SAP's field names, and the values have the SAP formats that cause errors in naive imports: codes with
 * `/`, numbers with leading zeros, `00000000` for "no date", "X" for "yes", texts of at most 40 characters with
 * umlauts, commas and inch marks.
 */
import { writeFileSync } from 'node:fs';

const EQUIPMENT_COUNT = 1_000;
const FIRST_EQUNR = 10_004_711;

// ---------------------------------------------------------------------------------------------------------- work
// centres

/** `id` is SAP's object number, to which other files refer. */
const WORK_CENTRES = [
  { name: 'MECH', id: '00001010', code: 'MECH-01', text: 'Mechanical workshop' },
  { name: 'ELEC', id: '00001020', code: 'ELEK-01', text: 'Elektrowerkstatt' },
  { name: 'INST', id: '00001030', code: 'MSR-01', text: 'Mess-, Steuer- und Regeltechnik' },
  { name: 'BOIL', id: '00001040', code: 'KESSEL', text: 'Kesselwärter, shift team' },
  { name: 'PACK', id: '00001050', code: 'ABF-01', text: 'Packaging technicians, lines 1 and 2' },
  { name: 'PACK3', id: '00001051', code: 'ABF-02', text: 'Packaging technicians, line 3 "Becher"' },
  { name: 'COOL', id: '00001060', code: 'KÄLTE', text: 'Kältetechnik (ammonia certified)' },
  { name: 'BLDG', id: '00001070', code: 'GEB-01', text: 'Gebäudetechnik' },
  { name: 'LUBE', id: '00001080', code: 'SCHMIER', text: 'Lubrication round' },
  { name: 'CLEAN', id: '00001090', code: 'REIN-01', text: 'Cleaning and hygiene' },
  { name: 'INSP', id: '00001100', code: 'PRÜF-01', text: 'Pressure vessels, statutory inspection' },
  { name: 'EXT', id: '00002010', code: 'FREMD-01', text: 'Contractor: Gerüstbau Höß & Söhne' },
  { name: 'EXT2', id: '00002020', code: 'FREMD-02', text: 'Contractor: calibration, "on call"' },
  { name: 'OLD', id: '00000007', code: 'SCHLOSS', text: 'Schlosserei (closed 2019)', deleted: true },
];

const workCentreId = (name) => WORK_CENTRES.find((workCentre) => workCentre.name === name).id;

// -------------------------------------------------------------------------------------------------------------
// priorities

const HOUR = 3_600_000;
const PRIORITIES = [
  ['1', 'Very high: danger, or line stopped', 0, 4 * HOUR],
  ['2', 'High: within the shift', HOUR, 8 * HOUR],
  ['3', 'Medium: this week', 24 * HOUR, 7 * 24 * HOUR],
  ['4', 'Low: when convenient', 7 * 24 * HOUR, 30 * 24 * HOUR],
  ['5', 'Next shutdown (Großrevision)', 30 * 24 * HOUR, 365 * 24 * HOUR],
  ['X', 'No date', '', ''],
];

// --------------------------------------------------------------------------------------------------- functional
// locations

/**
 * The plant from its areas (level 2) to its units (level 4), one per line: `code | name | kind`. The kind defines the
 * positions (levels 5 and 6) and the equipment of a unit (see KINDS). On levels 2 and 3 the third field is the work
 * centre of the whole subtree.
 */
const OUTLINE = `
UTL | Betriebsmittel / Utilities | MECH
  CW | Cooling water
    P01 | Pump station, cooling water supply | pumps A B C
    P02 | Pump station, condenser circuit | pumps A B
    E01 | Cooling tower 1, north roof | coolingTower
    E02 | Cooling tower 2, north roof | coolingTower
    F01 | Side-stream filter, 2" | filter
  CA | Compressed air | MECH
    C01 | Air compressor 1 (oil-free) | compressor
    C02 | Air compressor 2 (oil-free) | compressor
    C03 | Air compressor 3, stand-by | compressor
    D01 | Dryer and receiver | vessel
  RF | Kälteanlage (ammonia) | COOL
    C01 | Screw compressor 1 | compressor
    C02 | Screw compressor 2 | compressor
    B01 | Liquid separator | vessel
    E01 | Evaporative condenser | coolingTower
    P01 | Ammonia pumps | pumps A B
  IW | Eiswasser / Ice water | COOL
    T01 | Ice bank, 180 m³ | tank
    P01 | Pump station, ice water | pumps A B
    E01 | Plate heat exchanger, ice water | exchanger
  ST | Steam and condensate grid | BOIL
    R01 | Reducing station 10/4 bar | reducing
    R02 | Reducing station 4/1,5 bar | reducing
    T01 | Condensate tank | tank
    P01 | Condensate return pumps | pumps A B
  WW | Brunnenwasser / Well water
    P01 | Well pumps | pumps A B
    F01 | Sand and iron filter | filter
    F02 | UV disinfection, 254 nm | filter
    T01 | Drinking water tank | tank
  GA | Technical gases
    T01 | Nitrogen tank, liquid | vessel
    R01 | Reducing station, nitrogen 10/2 bar | reducing
BHS | Kesselhaus / Boiler house | BOIL
  B1 | Boiler 1, 8 t/h, gas
    K01 | Boiler drum and tubes | boiler
    G01 | Burner, natural gas | burner
    P01 | Feed water pumps, boiler 1 | pumps A B
  B2 | Boiler 2, 8 t/h, gas and oil
    K01 | Boiler drum and tubes | boiler
    G01 | Dual-fuel burner | burner
    P01 | Feed water pumps, boiler 2 | pumps A B
  FW | Feed water treatment
    T01 | Deaerator, 105 °C | vessel
    F01 | Softener, duplex | filter
    D01 | Dosing, oxygen scavenger | dosing
RCP | Milk reception (Milchannahme) | MECH
  B01 | Tanker bay 1
    P01 | Unloading pumps | pumps A B
    X01 | Air eliminator and metering skid | metering
  B02 | Tanker bay 2
    P01 | Unloading pump | pumps A
    X01 | Air eliminator and metering skid | metering
  SI | Raw milk silos
    T01 | Raw milk silo 1, 120.000 l | agitatedTank
    T02 | Raw milk silo 2, 120.000 l | agitatedTank
    T03 | Raw milk silo 3, 60.000 l | agitatedTank
PRC | Processing (Betrieb) | MECH
  PA | Pasteuriser 1, 20.000 l/h
    P01 | Product and booster pumps | pumps A B
    E01 | Plate heat exchanger, regenerative | exchanger
    S01 | Separator, "self-desludging" | separator
    H01 | Homogeniser | homogeniser
  PB | Pasteuriser 2, 12.000 l/h
    P01 | Product and booster pumps | pumps A B
    E01 | Plate heat exchanger, regenerative | exchanger
    S01 | Separator | separator
    H01 | Homogeniser | homogeniser
  UH | UHT plant, 9.000 l/h
    P01 | Product and sterile pumps | pumps A B
    E01 | Tubular heat exchanger, 138 °C | exchanger
    H01 | Homogeniser, aseptic | homogeniser
    T01 | Sterile tank, 20.000 l | agitatedTank
  YO | Joghurt / Yoghurt
    T01 | Incubation tank 1 | agitatedTank
    T02 | Incubation tank 2 | agitatedTank
    T03 | Fruit tank, jacketed | agitatedTank
    P01 | Lobe pumps, curd | pumps A B
  BF | Buffer tanks
    T01 | Whole milk, pasteurised | tank
    T02 | Skimmed milk, pasteurised | tank
    T03 | Rahm / cream | agitatedTank
CIP | Cleaning in place | CLEAN
  S1 | CIP station, raw side
    T01 | Lye tank, NaOH 2 % | tank
    T02 | Acid tank, HNO3 1,5 % | tank
    P01 | CIP forward pumps | pumps A B
    D01 | Dosing, lye and acid | dosing
  S2 | CIP station, finished side
    T01 | Lye tank, NaOH 2 % | tank
    P01 | CIP forward pump | pumps A
    E01 | Tubular heat exchanger | exchanger
PKG | Abfüllung / Packaging | PACK
  L01 | Line 1: carton, 1 l
    FIL | Aseptic filler | filler
    CAP | Cap applicator | machine
    CNV | Conveyors, dry | conveyor
    PAK | Tray packer | machine
    PAL | Palletiser | palletiser
  L02 | Line 2: PET bottle, 0,5 l
    BLO | Stretch blow moulder | machine
    FIL | Filler, 48 valves | filler
    LAB | Labeller | machine
    CNV | Conveyors, wet | conveyor
    PAK | Shrink packer | machine
    PAL | Palletiser | palletiser
  L03 | Line 3: Becher / cups, 150 g | PACK3
    FIL | Cup filler, 12 lanes | filler
    SEA | Foil sealer | machine
    CNV | Cup conveyors | conveyor
    PAK | Case packer, "robot cell 3" | palletiser
  L04 | Line 4: bag-in-box, 10 l
    FIL | Bag filler, 2 heads | filler
    PAK | Carton erector and packer | machine
    CNV | Conveyors, line 4 | conveyor
CST | Cold store (Kühllager) | COOL
  H1 | Hall 1, +4 °C
    V01 | Air coolers, hall 1 | airCooler
    D01 | High-speed doors, hall 1 | doors
  H2 | Hall 2, +4 °C, high bay
    V01 | Air coolers, hall 2 | airCooler
    K01 | Stacker crane | palletiser
WWT | Kläranlage / Waste water | MECH
  IN | Inlet works
    P01 | Lifting pumps | pumps A B
    F01 | Drum screen, 1 mm | filter
  BI | Biology
    T01 | Equalisation basin | agitatedTank
    C01 | Blower 1 | compressor
    C02 | Blower 2 | compressor
  NE | Neutralisation
    D01 | Dosing, CO2 and lye | dosing
    T01 | Neutralisation basin | agitatedTank
    P01 | Sludge pump | pumps A
ELD | Energieverteilung / Electrical | ELEC
  MV | Medium voltage, 30 kV
    TR1 | Transformer 1, 1.600 kVA | transformer
    TR2 | Transformer 2, 1.600 kVA | transformer
  LV | Low voltage, 400 V
    MC1 | Motor control centre, utilities | switchgear
    MC2 | Motor control centre, process | switchgear
    MC3 | Motor control centre, packaging | switchgear
    UPS | Uninterruptible supply, controls | switchgear
GEB | Gebäude / Buildings | BLDG
  0017 | Administration
    HVA | Ventilation and heating | airCooler
    BMA | Fire alarm panel | switchgear
  0018 | Production hall
    HVA | Ventilation, high-care zone | airCooler
    TOR | Gates and dock levellers | doors
  0021 | Spare parts store
    TOR | Roller shutter | doors
`;

/**
 * Kinds of equipment: name, object type, makers, model, range of kilograms, range of euros, work centre, safety
 * critical.
 */
const CATALOGUE = {
  pump: [
    'Centrifugal pump',
    'PUMP',
    ['Hödl & Söhne Pumpenbau', 'Carrow, Pike & Co.'],
    'NK 80-250',
    [60, 420],
    [2800, 14500],
  ],
  seal: ['Mechanical seal', 'SEAL', ['Dichtwerk Amstetten'], 'DW-7/45', [1, 4], [180, 900]],
  motor: [
    'Motor, 3~, IE3',
    'MOTR',
    ['Brandtner Antriebe', 'Elmotek s.r.o.'],
    'BA 160M-4',
    [40, 310],
    [900, 6200],
    'ELEC',
  ],
  drive: [
    'Frequency converter',
    'DRIV',
    ['Elmotek s.r.o.', 'Øresund Drives'],
    'FC-480/22',
    [8, 60],
    [1100, 7400],
    'ELEC',
  ],
  gearbox: ['Gearbox, helical', 'GEAR', ['Brandtner Antriebe'], 'SG-73', [25, 260], [700, 5100]],
  coupling: ['Coupling', 'COUP', ['Carrow, Pike & Co.'], 'R-42', [2, 15], [90, 640]],
  shutOff: [
    'Valve, butterfly, 6"',
    'VALV',
    ['Lindqvist Ventilteknik', 'Vltava Armatury'],
    'BFV-150',
    [6, 32],
    [160, 980],
  ],
  seatValve: ['Valve, "double-seat", DN80', 'VALV', ['Lindqvist Ventilteknik'], 'DS-80', [14, 38], [1900, 5200]],
  checkValve: ['Non-return valve', 'VALV', ['Vltava Armatury'], 'RV-100', [5, 24], [120, 560]],
  control: ['Control valve, pneumatic', 'VALV', ['Lindqvist Ventilteknik'], 'CV-50/P', [12, 44], [2100, 6900], 'INST'],
  safety: ['Safety valve', 'VALV', ['Überdruck Technik Wels'], 'SV-10/40', [4, 30], [380, 2600], 'INSP', true],
  pt: [
    'Transmitter, 0–10 bar',
    'INST',
    ['Nordvik Instruments', 'Messwerk Zöhrer'],
    'PT-210',
    [1, 2],
    [420, 890],
    'INST',
  ],
  tt: [
    'Temperature sensor, Pt100',
    'INST',
    ['Nordvik Instruments', 'Messwerk Zöhrer'],
    'TT-100',
    [1, 1],
    [190, 460],
    'INST',
  ],
  lt: ['Level transmitter, radar', 'INST', ['Nordvik Instruments'], 'LR-80', [2, 4], [1100, 2400], 'INST'],
  ft: ['Flow meter, magnetic', 'INST', ['Messwerk Zöhrer'], 'MID-DN65', [6, 22], [1600, 4100], 'INST'],
  vib: ['Vibration sensor', 'INST', ['Nordvik Instruments'], 'VS-3', [1, 1], [240, 520], 'INST'],
  limit: ['Level switch, overfill', 'INST', ['Messwerk Zöhrer'], 'LS-SIL2', [1, 2], [310, 620], 'INST', true],
  estop: ['Emergency stop, 1-channel', 'SAFE', ['Schaltwerk Øst'], 'NH-1', [1, 1], [60, 140], 'ELEC', true],
  plc: ['Controller', 'CTRL', ['Schaltwerk Øst', 'Messwerk Zöhrer'], 'SPS-15', [3, 9], [1900, 8800], 'INST'],
  hmi: ['Operator panel, 12"', 'CTRL', ['Messwerk Zöhrer'], 'OP-12', [3, 5], [1300, 2900], 'INST'],
  vessel: ['Pressure vessel', 'VESS', ['Behälterbau Kößler'], 'DB-4/11', [380, 2900], [4800, 39000], 'INSP', true],
  tank: ['Tank, 1.4404', 'TANK', ['Behälterbau Kößler', 'Tanques Ibérica'], 'ZT-60', [900, 8200], [12000, 96000]],
  agitator: ['Agitator', 'AGIT', ['Rührwerke Traun'], 'RW-2/180', [70, 290], [3600, 15500]],
  exchanger: ['Heat exchanger', 'HEXC', ['Thermaplan'], 'PHE-M15', [180, 2400], [5200, 68000]],
  fan: ['Fan', 'FANS', ['Ventola Trieste'], 'AX-900', [22, 160], [480, 3900]],
  filter: ['Filter housing', 'FILT', ['Carrow, Pike & Co.'], 'FH-4', [20, 90], [700, 3300]],
  compressor: [
    'Compressor block',
    'COMP',
    ['Kompressorenbau Lech', 'Øresund Drives'],
    'KL-132',
    [480, 2600],
    [18000, 94000],
  ],
  boiler: [
    'Shell boiler, 10 bar',
    'BOIL',
    ['Dampfkessel Steyr & Co.'],
    'DK-8000',
    [14000, 21000],
    [180000, 320000],
    'INSP',
    true,
  ],
  burner: ['Burner', 'BURN', ['Dampfkessel Steyr & Co.'], 'GB-6', [140, 420], [14000, 46000], 'BOIL', true],
  flame: ['Flame detector', 'INST', ['Messwerk Zöhrer'], 'FD-UV', [1, 1], [380, 760], 'INST', true],
  separator: ['Separator', 'SEPA', ['Zentrifugen Nord'], 'CSE-300', [1800, 3400], [120000, 240000]],
  homogeniser: ['Homogeniser block, 3 plungers', 'HOMO', ['Zentrifugen Nord'], 'HG-200', [1600, 3100], [70000, 150000]],
  filler: ['Filling machine', 'FILL', ['Füllhorn Anlagenbau'], 'FH-A3', [4200, 11800], [340000, 1200000]],
  machine: [
    'Packaging machine',
    'MACH',
    ['Füllhorn Anlagenbau', 'Empaques Río'],
    'VP-60',
    [900, 4600],
    [48000, 310000],
  ],
  robot: ['Robot, 4 axes', 'ROBO', ['Förderzeug Graz'], 'R4-180', [620, 1900], [46000, 120000]],
  belt: ['Belt conveyor', 'CONV', ['Förderzeug Graz'], 'BC-400', [90, 460], [2400, 9800]],
  photo: ['Photo-electric sensor', 'INST', ['Schaltwerk Øst'], 'PE-18', [1, 1], [45, 120], 'INST'],
  dosing: ['Dosing pump', 'PUMP', ['Hödl & Söhne Pumpenbau'], 'DP-12', [5, 18], [640, 2100]],
  door: ['High-speed door', 'DOOR', ['Torbau Enns'], 'SL-3000', [180, 420], [4200, 9900], 'BLDG'],
  transformer: ['Transformer, cast resin', 'TRAF', ['Elmotek s.r.o.'], 'GT-1600', [3800, 5200], [42000, 78000], 'ELEC'],
  breaker: ['Circuit breaker', 'SWIT', ['Schaltwerk Øst'], 'LS-1600', [12, 90], [900, 7600], 'ELEC', true],
  relay: ['Protection relay', 'SWIT', ['Schaltwerk Øst'], 'SR-7', [2, 5], [800, 2600], 'ELEC'],
};

/**
 * The equipment (`here`) and the child positions (`below`) of a unit of each kind. Entries are names of the catalogue;
 * `a>b` mounts `b` on `a`, its superior equipment.
 */
const KINDS = {
  pumps: (trains) => ({
    here: ['pt', 'shutOff', 'drive'],
    below: trains.map((train) => ({
      code: `/${train}`,
      name: `Pump ${train}`,
      here: ['pump', 'pump>seal', 'shutOff', 'checkValve'],
      below: [{ code: '-010', name: `Drive, pump ${train}`, here: ['motor', 'motor>coupling', 'vib'] }],
    })),
  }),
  compressor: () => ({
    here: ['compressor', 'plc', 'safety'],
    below: [{ code: '-010', name: 'Main drive', here: ['motor', 'motor>drive', 'vib'] }],
  }),
  coolingTower: () => ({
    here: ['exchanger', 'lt'],
    below: [{ code: '/01', name: 'Fan 01', here: ['fan', 'fan>motor', 'vib'] }],
  }),
  airCooler: () => ({
    here: ['plc', 'tt'],
    below: ['01', '02'].map((number) => ({
      code: `/${number}`,
      name: `Air handler ${number}`,
      here: ['exchanger', 'fan', 'fan>motor', 'tt'],
    })),
  }),
  vessel: () => ({ here: ['vessel', 'vessel>safety', 'pt', 'lt', 'shutOff'] }),
  tank: () => ({ here: ['tank', 'lt', 'limit', 'tt', 'seatValve', 'seatValve'] }),
  agitatedTank: () => ({
    here: ['tank', 'lt', 'limit', 'tt', 'seatValve'],
    below: [{ code: '-AGI', name: 'Agitator', here: ['agitator', 'agitator>gearbox', 'gearbox>motor'] }],
  }),
  exchanger: () => ({ here: ['exchanger', 'tt', 'tt', 'control', 'pt'] }),
  filter: () => ({ here: ['filter', 'pt', 'pt', 'shutOff'] }),
  reducing: () => ({ here: ['control', 'safety', 'pt', 'shutOff', 'shutOff'] }),
  dosing: () => ({ here: ['dosing', 'dosing>motor', 'ft', 'limit'] }),
  metering: () => ({ here: ['vessel', 'ft', 'tt', 'control', 'plc'] }),
  boiler: () => ({
    here: ['boiler', 'boiler>safety', 'boiler>safety', 'plc'],
    below: [
      { code: '-010', name: 'Level control and low-water trip', here: ['lt', 'limit', 'limit', 'control'] },
      { code: '-020', name: 'Pressure control', here: ['pt', 'pt', 'control'] },
    ],
  }),
  burner: () => ({
    here: ['burner', 'burner>flame', 'plc'],
    below: [{ code: '-010', name: 'Combustion air', here: ['fan', 'fan>motor', 'drive'] }],
  }),
  separator: () => ({
    here: ['separator', 'plc', 'vib', 'control'],
    below: [{ code: '-010', name: 'Bowl drive', here: ['motor', 'motor>drive', 'gearbox'] }],
  }),
  homogeniser: () => ({
    here: ['homogeniser', 'pt', 'safety'],
    below: [{ code: '-010', name: 'Main drive', here: ['motor', 'motor>gearbox', 'drive'] }],
  }),
  filler: () => ({
    here: ['filler', 'plc', 'hmi', 'estop'],
    below: [
      {
        code: '/01',
        name: 'Infeed',
        here: ['belt', 'belt>motor', 'photo'],
        below: [{ code: '-010', name: 'Servo axis, infeed', here: ['drive', 'drive>motor'] }],
      },
      {
        code: '/02',
        name: 'Filling carousel',
        here: ['ft', 'seatValve', 'tt'],
        below: [{ code: '-010', name: 'Servo axis, carousel', here: ['drive', 'drive>motor', 'gearbox'] }],
      },
      { code: '/03', name: 'Discharge', here: ['belt', 'belt>motor', 'photo'] },
    ],
  }),
  machine: () => ({
    here: ['machine', 'plc', 'estop'],
    below: [
      { code: '/01', name: 'Main drive', here: ['drive', 'drive>motor', 'gearbox'] },
      { code: '/02', name: 'Guarding and sensors', here: ['photo', 'photo', 'estop'] },
    ],
  }),
  conveyor: () => ({
    here: ['plc', 'estop'],
    below: ['01', '02', '03'].map((number) => ({
      code: `/${number}`,
      name: `Conveyor section ${number}`,
      here: ['belt', 'belt>motor', 'photo'],
    })),
  }),
  palletiser: () => ({
    here: ['robot', 'plc', 'estop', 'photo'],
    below: [{ code: '/01', name: 'Roller conveyor', here: ['belt', 'belt>motor', 'photo'] }],
  }),
  doors: () => ({ here: ['door', 'door>motor', 'photo', 'door'] }),
  transformer: () => ({ here: ['transformer', 'tt', 'relay', 'breaker'] }),
  switchgear: () => ({ here: ['breaker', 'breaker', 'relay', 'plc'] }),
};

const LEVEL_TYPES = ['PLANT', 'AREA', 'SYSTEM', 'UNIT', 'POSITION', 'SUBPOS'];

/** Returns all functional locations, parents before their children, each with its equipment (`here`). */
function createLocations() {
  const root = { code: 'AT10', name: 'Werk Mühlviertel', level: 1, workCentre: 'MECH', critical: 'A', here: [] };
  const locations = [root];
  const ancestors = [root];

  const add = (parent, code, template) => {
    const location = { ...template, code, parent, level: parent.level + 1 };
    location.workCentre ??= parent.workCentre;
    location.critical = location.level > 4 ? parent.critical : criticality(template.name);
    locations.push(location);
    for (const position of template.below ?? []) add(location, code + position.code, position);
    return location;
  };

  for (const line of OUTLINE.split('\n').filter(Boolean)) {
    const depth = line.search(/\S/) / 2 + 1;
    const [code, name, kind] = line.split('|').map((part) => part.trim());
    const parent = ancestors[depth - 1];
    const [kindName, ...trains] = (kind ?? '').split(' ');
    const template = depth === 3 ? KINDS[kindName](trains) : { here: [], workCentre: kindName || undefined };
    ancestors[depth] = add(parent, `${parent.code}-${code}`, { ...template, name });
  }
  return locations;
}

/** ABC indicator: A stops the plant or endangers people, C can wait. */
function criticality(name) {
  if (/boiler|burner|ammonia|kälte|filler|transformer|pasteuris|deaerator|safety|low-water/i.test(name)) return 'A';
  return /conveyor|door|gate|ventilation|administration|filter|stand-by|shutter/i.test(name) ? 'C' : 'B';
}

// --------------------------------------------------------------------------------------------------------------
// equipment

/** mulberry32: a random number generator with the same sequence on every machine. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = createRandom(4711);
const between = (low, high) => low + Math.floor(random() * (high - low + 1));
const oneOf = (list) => list[between(0, list.length - 1)];
const digits = (number, length) => String(number).padStart(length, '0');

/** Returns the equipment of all locations, then spares without a location until EQUIPMENT_COUNT is reached. */
function createEquipment(locations) {
  const equipment = [];
  let next = FIRST_EQUNR;

  const add = (kind, location, superior) => {
    const number = digits(next, 18);
    next += random() < 0.9 ? 1 : between(2, 40);
    equipment.push(describe(kind, number, location, superior));
    return number;
  };

  for (const location of locations) {
    const newest = new Map();
    for (const entry of location.here) {
      const [mountedOn, kind] = entry.includes('>') ? entry.split('>') : [undefined, entry];
      newest.set(kind, add(kind, location, newest.get(mountedOn)));
    }
  }
  if (equipment.length > EQUIPMENT_COUNT)
    throw new Error(`${equipment.length} pieces of equipment exceed the limit of ${EQUIPMENT_COUNT}`);
  const spares = ['motor', 'seal', 'pt', 'drive', 'seatValve', 'vib', 'pump', 'plc', 'gearbox', 'photo'];
  for (let index = 0; equipment.length < EQUIPMENT_COUNT; index++) add(spares[index % spares.length]);
  return equipment;
}

function describe(kind, number, location, superior) {
  const [name, objectType, makers, model, kilograms, euros, workCentre, safetyCritical] = CATALOGUE[kind];
  const maker = oneOf(makers);
  const year = between(1998, 2025);
  const started = `${year}${digits(between(1, 12), 2)}${digits(between(1, 28), 2)}`;
  const retired = location && random() < 0.015;
  return {
    EQUNR: number,
    EQKTX: location ? `${name} ${location.code.slice('AT10-UTL-'.length)}` : `${name} (Reserve)`,
    EQART: objectType,
    TPLNR: location?.code,
    HEQUI: superior,
    HERST: maker,
    TYPBZ: random() < 0.3 ? `${model}/${between(2, 9)}` : model,
    // Some serial numbers begin with zeros, some look like 12E45: spreadsheets damage both.
    SERGE: oneOf([
      digits(between(1, 99_999), 8),
      `${between(10, 99)}E${between(10, 99)}`,
      `${year}-${between(100, 999)}/A`,
    ]),
    BAUJJ: year,
    INBDT: location && random() > 0.04 ? started : '00000000',
    ABCKZ: location?.critical ?? 'C',
    SAFETY: safetyCritical ? 'X' : '',
    GEWRK: workCentreId(workCentre ?? location?.workCentre ?? 'MECH'),
    STATUS: !location ? 'AVLB' : retired ? 'INAC' : 'INST',
    BRGEW: (between(kilograms[0] * 10, kilograms[1] * 10) / 10).toFixed(1),
    ANSWT: (between(euros[0] * 100, euros[1] * 100) / 100).toFixed(2),
    ROOM: location ? formatRoom(location) : '0021.E.03',
    TAG:
      location && location.level > 4 && random() < 0.5
        ? `${location.code.slice(5, 8)}-${digits(between(1, 480), 4)}`
        : '',
  };
}

/** Building, floor and room. The units of an area share a building, and positions share the room of their unit. */
function formatRoom(location) {
  let unit = location;
  while (unit.level > 4) unit = unit.parent;
  const [, area, system] = unit.code.split('-');
  const letters = sumOfLetters(unit.code);
  return `${BUILDINGS[area] ?? system}.${'UE12'[letters % 4]}.${digits((letters % 37) + 1, 2)}`;
}

/** Area code to building. The area GEB is absent, because its systems are the buildings. */
const BUILDINGS = Object.fromEntries(
  'UTL 0019, BHS 0020, RCP 0016, PRC 0018, CIP 0018, PKG 0018, CST 0022, WWT 0025, ELD 0019'
    .split(', ')
    .map((entry) => entry.split(' ')),
);

const sumOfLetters = (text) => [...text].reduce((sum, letter) => sum + letter.codePointAt(0), 0);

// -------------------------------------------------------------------------------------------------------------- the
// files

const csvCell = (value = '') => (/[",\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value));

function write(file, header, rows) {
  for (const row of rows) {
    for (const text of ['PLTXT', 'EQKTX', 'KTEXT', 'PRIOKX']) {
      if ((row[text]?.length ?? 0) > 40) throw new Error(`more than 40 characters: ${row[text]}`);
    }
  }
  const lines = [header, ...rows.map((row) => header.map((column) => csvCell(row[column])))];
  writeFileSync(new URL(file, import.meta.url), lines.map((line) => line.join(',') + '\n').join(''));
  console.log(`${file}: ${rows.length} rows`);
}

const locations = createLocations();
const areas = locations.filter(({ level }) => level === 2).map(({ code }) => code);

/** One cost centre per area, and one for the plant. */
const costCentre = (code) => digits(4200 + 10 * (areas.indexOf(code.split('-', 2).join('-')) + 1), 10);

write(
  'work-centres.csv',
  ['PM_WKCTR', 'ARBPL', 'WERKS', 'LVORM', 'KTEXT'],
  WORK_CENTRES.map(({ id, code, text, deleted }) => ({
    PM_WKCTR: id,
    ARBPL: code,
    WERKS: 'AT10',
    LVORM: deleted ? 'X' : '',
    KTEXT: text,
  })),
);
write(
  'priorities.csv',
  ['PRIOK', 'PRIOKX', 'DIFF_START_MS', 'DIFF_END_MS'],
  PRIORITIES.map(([PRIOK, PRIOKX, DIFF_START_MS, DIFF_END_MS]) => ({ PRIOK, PRIOKX, DIFF_START_MS, DIFF_END_MS })),
);
write(
  'functional-locations.csv',
  ['TPLNR', 'PLTXT', 'EQART', 'SWERK', 'TPLMA', 'ABCKZ', 'KOSTL', 'GEWRK'],
  locations.map(({ code, name, level, parent, critical, workCentre }) => ({
    TPLNR: code,
    PLTXT: name,
    EQART: LEVEL_TYPES[level - 1],
    SWERK: 'AT10',
    TPLMA: parent?.code,
    ABCKZ: critical,
    KOSTL: costCentre(code),
    GEWRK: workCentreId(workCentre),
  })),
);
write(
  'equipment.csv',
  [
    ...['EQUNR', 'EQKTX', 'EQART', 'TPLNR', 'HEQUI', 'HERST', 'TYPBZ', 'SERGE', 'BAUJJ', 'INBDT', 'ABCKZ', 'SAFETY'],
    ...['GEWRK', 'STATUS', 'BRGEW', 'ANSWT', 'ROOM', 'TAG'],
  ],
  createEquipment(locations),
);
