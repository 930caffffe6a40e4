/**
 * The floor of requests: the minimum of a NestJS service. A request runs one statement, without guards, pipes,
 * interceptors, logger, validation, authentication, locks and revisions. The statements are those of the benches, named
 * by the first argument, and prepared; their parameters are the values of the query, then those of the body.
 */
import { generateKeyPairSync } from 'node:crypto';
import { All, Body, Controller, Get, Module, Param, Post, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import jwt from 'jsonwebtoken';
import { Pool } from 'pg';
import { COLUMNS, PHYSICAL_COLUMNS, PHYSICAL_TYPES, type SampleRow } from '../sample-rows.js';

const statements = JSON.parse(process.argv[2]!) as Record<string, string>;
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

async function run(name: string, query: string | string[] = [], body: object = {}): Promise<Record<string, unknown>[]> {
  const values = [query, Object.values(body)].flat();
  return (await pool.query<Record<string, unknown>>({ name, text: statements[name]!, values })).rows;
}

/** Writes rows that are new or different. */
function compileUpsert(table: string): string {
  const names = PHYSICAL_COLUMNS.join(', ');
  const [, ...others] = PHYSICAL_COLUMNS;
  const arrays = PHYSICAL_TYPES.map((type, position) => `$${position + 1}::${type}[]`);
  const updates = [...others, '_revision', '_updated_at'].map((name) => `${name} = excluded.${name}`);
  const [current, excluded] = ['t', 'excluded'].map((source) => others.map((name) => `${source}.${name}`).join(', '));
  return `INSERT INTO floor.${table} AS t (${names}, _revision, _created_at, _updated_at)
          SELECT ${names}, 1, now(), now() FROM unnest(${arrays.join(', ')}) AS s(${names})
          ON CONFLICT (c1) DO UPDATE SET ${updates.join(', ')} WHERE (${current}) IS DISTINCT FROM (${excluded})`;
}

@Controller()
class BareController {
  @Get('live')
  live() {
    return { status: 'ok' };
  }

  @All('row/:name')
  async row(@Param('name') name: string, @Query('value') query: string | string[], @Body() body?: object) {
    return { data: (await run(name, query, body))[0] };
  }

  @Get('page/:name')
  async page(@Param('name') name: string, @Query('value') query: string | string[]) {
    return { data: { items: (await run(name, query)).map(({ item }) => item) } };
  }

  /** Signs an access token and a refresh token, as each sign-in and refresh does. */
  @Post('token')
  async token() {
    const [session] = await run('token');
    const sign = () => jwt.sign({ sid: session!['id'] }, privateKey, { algorithm: 'ES256', expiresIn: 60 });
    return { data: { access_token: sign(), refresh_token: sign() } };
  }

  @Post('bulk')
  async bulk(@Body() { assets: [{ name, items }] }: { assets: [{ name: string; items: SampleRow[] }] }) {
    const columns = COLUMNS.map(({ key }) => items.map((item) => item[key]));
    return { data: { rows: (await pool.query(compileUpsert(name), columns)).rowCount } };
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

const app = await NestFactory.create<NestExpressApplication>(BareModule, { logger: false, bodyParser: false });
app.use(express.json({ limit: '50mb' }));
// Without an exit, a CPU profile would not be written.
process.on('SIGTERM', () => process.exit(0));
await app.listen(process.env['PORT']!, '127.0.0.1');
