/**
 * The floor for bulk writes: the minimum of a NestJS service for the same body. It parses the body, converts it to
 * arrays and runs one statement, without guards, pipes, interceptors, logger and validation.
 */
import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import { Pool } from 'pg';
import { COLUMNS, PHYSICAL_COLUMNS, PHYSICAL_TYPES, type SampleRow } from '../sample-rows.js';

interface Bulk {
  assets: [{ name: string; items: SampleRow[] }];
}

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

const names = PHYSICAL_COLUMNS.join(', ');
const excluded = PHYSICAL_COLUMNS.slice(1).map((name) => `excluded.${name}`);
const current = PHYSICAL_COLUMNS.slice(1).map((name) => `t.${name}`);
const updates = [...PHYSICAL_COLUMNS.slice(1), '_revision', '_updated_at'].map((name) => `${name} = excluded.${name}`);
const arrays = PHYSICAL_TYPES.map((type, position) => `$${position + 1}::${type}[]`);

function upsertInto(table: string): string {
  return `INSERT INTO bare_nest.${table} AS t (${names}, _revision, _created_at, _updated_at)
          SELECT ${names}, 1, now(), now() FROM unnest(${arrays.join(', ')}) AS s(${names})
          ON CONFLICT (c1) DO UPDATE SET ${updates.join(', ')}
          WHERE (${current.join(', ')}) IS DISTINCT FROM (${excluded.join(', ')})`;
}

@Controller()
class BulkController {
  @Post('bulk')
  async upsert(@Body() { assets: [{ name, items }] }: Bulk) {
    const columns = COLUMNS.map(({ key }) => items.map((item) => item[key]));
    const { rowCount } = await pool.query(upsertInto(name), columns);
    return { rows: rowCount };
  }
}

@Module({ controllers: [BulkController] })
class BareModule {}

const app = await NestFactory.create<NestExpressApplication>(BareModule, { logger: false, bodyParser: false });
app.use(express.json({ limit: '50mb' }));
await app.listen(0, '127.0.0.1');
process.on('disconnect', () => process.exit(0));
process.send!(app.getHttpServer().address());
