import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import {
  databaseHandles,
  directories,
  httpErrors,
  imports,
  jsonParser,
  listeners,
  processState,
  properties,
  rawSql,
  spreads,
  syntax,
  vagueFileName,
  vagueFileNames,
} from './eslint/restrictions.mjs';
import { ownProperties } from './eslint/own-properties.mjs';
import { runtimeTypes } from './eslint/runtime-types.mjs';

/** Globals of plain scripts; in TypeScript the compiler checks them. */
const nodeGlobals = Object.fromEntries(Object.getOwnPropertyNames(globalThis).map((name) => [name, 'readonly']));

const atrium = { rules: { 'own-properties': ownProperties, 'runtime-types': runtimeTypes } };

/** A later block replaces the options of a rule, so each block lists all of them. */
export default defineConfig(
  {
    ignores: ['**/dist/', 'coverage/', '.data/', 'test/generated-clients/', 'clients/typescript/src/openapi-types.ts'],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  { rules: { 'no-eval': 'error', 'no-restricted-syntax': ['error', ...spreads] } },

  {
    files: ['**/*.{ts,tsx}'],
    // The rules that need types are those of oxlint (.oxlintrc.json).
    extends: [tseslint.configs.strict],
    rules: {
      // `({ asset, ...record }) => record` omits a field.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // Modules are empty classes with a decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // For the compiler every indexed access may be undefined; `!` marks those that cannot.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Rows are plain objects by column key.
      '@typescript-eslint/no-dynamic-delete': 'off',
    },
  },

  {
    files: ['{clients,packages,src}/**/*.{ts,tsx}'],
    ignores: ['**/*.spec.ts'],
    plugins: { atrium },
    // The only rules of ESLint that need types.
    languageOptions: { parserOptions: { project: './tsconfig.build.json', tsconfigRootDir: import.meta.dirname } },
    rules: { 'atrium/own-properties': 'error' },
  },
  {
    // It runs in the browser, whose types the service does without.
    files: ['packages/pages/**/*.{ts,tsx}'],
    ignores: ['**/*.spec.ts'],
    languageOptions: {
      parserOptions: { project: './packages/pages/tsconfig.json', tsconfigRootDir: import.meta.dirname },
    },
  },
  { files: ['{clients,packages}/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...spreads, ...directories] } },
  {
    files: ['clients/cli/src/**/*.ts'],
    ignores: ['clients/cli/src/standalone.ts'],
    rules: { 'no-restricted-properties': ['error', ...processState] },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { atrium },
    rules: {
      'atrium/runtime-types': 'error',
      'no-restricted-properties': ['error', ...properties, jsonParser],
      'no-restricted-syntax': ['error', ...syntax, ...rawSql, ...listeners],
      '@typescript-eslint/no-restricted-imports': ['error', { paths: [...imports, ...databaseHandles] }],
    },
  },
  {
    files: ['src/modules/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: [...imports, ...databaseHandles], patterns: httpErrors },
      ],
    },
  },
  {
    files: ['packages/{errors,json,sql,tables}/src/**/*.ts'],
    rules: {
      'no-restricted-properties': ['error', ...properties, jsonParser],
      'no-restricted-syntax': ['error', ...syntax, ...rawSql, ...listeners],
      '@typescript-eslint/no-restricted-imports': ['error', { paths: databaseHandles }],
    },
  },
  {
    files: ['{src,packages/tables/src}/**/*.repository.ts'],
    rules: { 'no-restricted-syntax': ['error', ...syntax, ...listeners] },
  },
  {
    files: ['src/platform/database/**/*.ts', 'packages/sql/src/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...syntax, ...listeners],
      '@typescript-eslint/no-restricted-imports': ['error', { paths: imports }],
    },
  },
  {
    // What callers cannot reach.
    files: ['src/platform/listeners.ts', 'src/embedded-postgres/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...syntax, ...rawSql] },
  },
  {
    // It connects to the server that it manages, before Database exists.
    files: ['src/embedded-postgres/**/*.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { paths: imports }] },
  },
  {
    files: ['src/platform/config/**/*.ts'],
    rules: { 'no-restricted-properties': ['error', properties[1], jsonParser] },
  },
  {
    // The parsers, pages that run in the browser, and what must not import the parsers.
    files: [
      'packages/json/src/json-parser.ts',
      'packages/sql/src/{keyset,stored-json}.ts',
      'src/{api-docs,embedded-postgres,pages}/**/*.ts',
    ],
    rules: { 'no-restricted-properties': ['error', ...properties] },
  },
  { files: vagueFileNames, rules: { 'no-restricted-syntax': ['error', ...vagueFileName] } },

  {
    files: ['{src,packages/{errors,json,sql,tables}/src}/**/*.spec.ts'],
    rules: {
      'atrium/runtime-types': 'off',
      'no-restricted-syntax': ['error', ...spreads],
      'no-restricted-properties': 'off',
      '@typescript-eslint/no-restricted-imports': 'off',
    },
  },
  {
    files: ['{src,packages}/**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      // Responses are asserted, not typed, and tests send invalid input.
      '@typescript-eslint/no-explicit-any': 'off',
      'no-loss-of-precision': 'off',
    },
  },

  // Plain scripts have the globals of this script.
  { files: ['**/*.{mjs,cjs}'], languageOptions: { globals: nodeGlobals } },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs', globals: { __dirname: 'readonly' } } },
);
