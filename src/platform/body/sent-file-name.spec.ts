import { decodeFileName } from './sent-file-name.js';

it.each([
  ['=?utf-8?B?UHLDvGZ1bmcucG5n?=', 'Prüfung.png'],
  ['=?UTF-8?Q?Pr=C3=BCfung_=E2=84=965.png?=', 'Prüfung №5.png'],
  ['=?iso-8859-1?Q?Pr=FCfung.png?=', 'Prüfung.png'],
  ['=?utf-8*de?B?UHLDvGY=?= =?utf-8?B?dW5nLnBuZw==?=', 'Prüfung.png'],
  ['Pr%C3%BCfung%20%E2%84%965.png', 'Prüfung №5.png'],
  ['Prüfung.png', 'Prüfung.png'],
  ['50%20off.png', '50%20off.png'],
  ['100%.png', '100%.png'],
  ['%FF.png', '%FF.png'],
  ['ü%C3%BC.png', 'ü%C3%BC.png'],
  ['=?utf-8?B?UHLDvGZ1bmcucG5n?=.png', '=?utf-8?B?UHLDvGZ1bmcucG5n?=.png'],
  ['=?klingon?B?UHLDvGZ1bmcucG5n?=', '=?klingon?B?UHLDvGZ1bmcucG5n?='],
  ['=?utf-8?B?*?=', '=?utf-8?B?*?='],
  ['=?utf-8?Q?=FF?=', '=?utf-8?Q?=FF?='],
])('reads the name %s as %s', (sent, name) => expect(decodeFileName(sent)).toBe(name));

it('reads names of any form in linear time', () => {
  const startedAt = process.cpuUsage();
  for (const part of ['=?utf-8?Q?', '=?utf-8?B?QUJD?= ', '%C3%BC', '%', '=?', ' '])
    decodeFileName(part.repeat(Math.ceil(1_000_000 / part.length)));
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(1_000);
});
