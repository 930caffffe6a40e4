import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNone } from '../support/for-each.js';
import { ROOT } from '../support/service.js';

interface Package {
  license?: string;
  version?: string;
  link?: boolean;
}

/** Licenses that require at most a notice. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Zlib',
];

/** Packages with another license or none, with the reason for which they are accepted. */
const EXCEPTIONS: { name: RegExp; license: RegExp; reason: string }[] = [
  {
    name: /^@img\/sharp-/,
    license: /LGPL-3\.0-or-later/,
    reason: 'libvips, a library that is loaded dynamically and can be replaced.',
  },
  { name: /^axe-core$/, license: /^MPL-2\.0$/, reason: 'Unchanged; used only by tests.' },
  { name: /^argparse$/, license: /^Python-2\.0$/, reason: 'Permissive; used only during development.' },
  { name: /^caniuse-lite$/, license: /^CC-BY-4\.0$/, reason: 'Data; used only during development.' },
  {
    name: /^(fast-sha256|fetch-cookie)$/,
    license: /^Unlicense$/,
    reason: 'Public domain; used only during development.',
  },
  {
    name: /^(busboy|dicer|streamsearch|humanize-number|only|passport-strategy|pause)$/,
    license: /^$/,
    reason: 'MIT by the text of the package; its package.json has no field in the current format.',
  },
];

const isPermissive = (license: string): boolean => {
  const alternatives = license.replace(/[()]/g, '').split(' OR ');
  return alternatives.some((alternative) => alternative.split(' AND ').every((each) => PERMISSIVE.includes(each)));
};

it('every package of package-lock.json has an accepted license', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Package>;
  };
  const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  expect(installed.length).toBeGreaterThan(500);
  const rejected = installed
    .map(([path, { license = '' }]) => ({ name: path.split('node_modules/').at(-1)!, license }))
    .filter(({ license }) => !isPermissive(license))
    .filter((each) => !EXCEPTIONS.some(({ name, license }) => name.test(each.name) && license.test(each.license)))
    .map(({ name, license }) => `${name}: ${license || 'none'}`);
  expectNone(rejected, 'Use another package, or add it to EXCEPTIONS of this test with the reason.');
});
