/**
 * The floor for small requests: the minimum of a NestJS service for the same work. Each route runs one prepared
 * statement, without guards, pipes, interceptors, logger, validation, authentication, locks and revisions.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Body, Controller, Delete, Get, Module, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import jwt from 'jsonwebtoken';
import { Pool } from 'pg';
import { FILTERS, type FilterName } from '../filters.js';
import { COLUMNS, PHYSICAL_COLUMNS, type SampleRow } from '../sample-rows.js';

/** The physical name of the read table, the name of the written table, and the workspace. */
const [, , readTable, writtenTable, workspaceId] = process.argv;

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

async function run<Row>(name: string, text: string, values: unknown[]): Promise<Row[]> {
  return (await pool.query({ name, text, values })).rows as Row[];
}

const item = `json_build_object(${COLUMNS.map(({ key }, position) => `'${key}', ${PHYSICAL_COLUMNS[position]}`).join(', ')})`;
const names = PHYSICAL_COLUMNS.join(', ');
const placeholders = PHYSICAL_COLUMNS.map((_, position) => `$${position + 1}`).join(', ');
const updates = PHYSICAL_COLUMNS.slice(1).map((name) => `${name} = excluded.${name}`);
const returned = `${item} AS item, _revision::float8 AS revision, _created_at AS "createdAt", _updated_at AS "updatedAt"`;

const FIND = `SELECT ${returned} FROM ${readTable} WHERE c1 = $1`;
const PAGE = `SELECT ${item} AS item FROM ${readTable} WHERE c1 > $1 ORDER BY c1 LIMIT $2`;
const filtered = (name: FilterName) => `SELECT ${item} AS item FROM ${readTable} WHERE ${FILTERS[name]} LIMIT $2`;
const PUT = `INSERT INTO bare_nest.${writtenTable} (${names}, _revision, _created_at, _updated_at)
             VALUES (${placeholders}, 1, now(), now())
             ON CONFLICT (c1) DO UPDATE SET ${updates.join(', ')}, _updated_at = now() RETURNING ${returned}`;
const PATCH = `UPDATE bare_nest.${writtenTable} SET c6 = $2, _updated_at = now() WHERE c1 = $1 RETURNING ${returned}`;
const DELETE = `DELETE FROM bare_nest.${writtenTable} WHERE c1 = $1 RETURNING c1 AS key`;
/** The next number of a note and the next position of an event, as the service stores them. */
const COUNT = (number: number) => `
  INSERT INTO bare_nest.note_counters AS counter (workspace_id, last_number, last_sequence) VALUES ($1, ${number}, 1)
  ON CONFLICT (workspace_id) DO UPDATE
     SET last_number = counter.last_number + ${number}, last_sequence = counter.last_sequence + 1
  RETURNING last_number, last_sequence`;
const NOTE = `
  WITH counter AS (${COUNT(1)}), entry AS (
    INSERT INTO bare_nest.directory (kind, id, workspace_id) VALUES ('note', $2::uuid::text, $1)
  ), event AS (
    INSERT INTO bare_nest.note_events (workspace_id, sequence, note_id, kind, source, at)
    SELECT $1, last_sequence, $2, 'created', 'workspace', now() FROM counter
  )
  INSERT INTO bare_nest.notes (workspace_id, id, number, title, description, status, priority, source, words)
  SELECT $1, $2, last_number, $3, $4, 'open', $5, 'workspace', to_tsvector('simple', $3 || ' ' || $4) FROM counter
  RETURNING *`;
const MESSAGE = `
  WITH note AS (
    UPDATE bare_nest.notes SET message_count = message_count + 1, last_message_at = now(), version = version + 1,
                               updated_at = now()
     WHERE workspace_id = $1 AND id = $3
  ), counter AS (${COUNT(0)}), event AS (
    INSERT INTO bare_nest.note_events (workspace_id, sequence, note_id, kind, message_id, source, at)
    SELECT $1, last_sequence, $3, 'message', $2, 'workspace', now() FROM counter
  )
  INSERT INTO bare_nest.note_messages (workspace_id, id, note_id, description, source)
  VALUES ($1, $2, $3, $4, 'workspace') RETURNING *`;
const TOKEN = `INSERT INTO bare_nest.sign_ins (id, client_id, created_at) VALUES ($1, $2, now()) RETURNING id`;

interface Written {
  title: string;
  description: string;
  priority: string;
}

@Controller()
class BareController {
  @Get('live')
  live() {
    return { status: 'ok' };
  }

  @Get('rows/:key')
  async get(@Param('key') key: string) {
    return { data: (await run('find', FIND, [key]))[0] };
  }

  @Get('rows')
  async page(@Query('after') after: string, @Query('limit') limit: string) {
    return { data: { items: (await run<{ item: object }>('page', PAGE, [after, limit])).map((row) => row.item) } };
  }

  @Get('filtered/:name')
  async filtered(@Param('name') name: FilterName, @Query('value') value: string, @Query('limit') limit: string) {
    const rows = await run<{ item: object }>(name, filtered(name), [value, limit]);
    return { data: { items: rows.map((row) => row.item) } };
  }

  @Put('rows/:key')
  async put(@Param('key') key: string, @Body() row: SampleRow) {
    const values = COLUMNS.map((column) => (column.key === 'equnr' ? key : row[column.key]));
    return { data: (await run('put', PUT, values))[0] };
  }

  @Patch('rows/:key')
  async patch(@Param('key') key: string, @Body() { weight }: SampleRow) {
    return { data: (await run('patch', PATCH, [key, weight]))[0] };
  }

  @Delete('rows/:key')
  async delete(@Param('key') key: string) {
    return { data: (await run('delete', DELETE, [key]))[0] };
  }

  @Post('notes')
  async note(@Body() { title, description, priority }: Written) {
    return { data: (await run('note', NOTE, [workspaceId, randomUUID(), title, description, priority]))[0] };
  }

  @Post('notes/:id/messages')
  async message(@Param('id') id: string, @Body() { description }: Written) {
    return { data: (await run('message', MESSAGE, [workspaceId, randomUUID(), id, description]))[0] };
  }

  /** Signs an access token and a refresh token, as each sign-in and refresh does. */
  @Post('token')
  async token(@Body() body: object) {
    const [session] = await run<{ id: string }>('token', TOKEN, [randomUUID(), Object.keys(body)[0]]);
    const sign = () => jwt.sign({ sid: session!.id }, privateKey, { algorithm: 'ES256', expiresIn: 60 });
    return { data: { access_token: sign(), refresh_token: sign() } };
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

const app = await NestFactory.create<NestExpressApplication>(BareModule, { logger: false, bodyParser: false });
app.use(express.json());
await app.listen(0, '127.0.0.1');
process.on('disconnect', () => process.exit(0));
process.send!(app.getHttpServer().address());
