import { Body, Controller, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation } from '@nestjs/swagger';
import { ApiGroup } from '../../platform/http/api-group.decorator.js';
import { BodyLimit, BodyShape, ExactNumbers } from '../../platform/body/body.decorators.js';
import { Deprecated } from '../../platform/http/deprecated.decorator.js';
import { Enveloped, Reply } from '../../platform/http/envelope.js';
import { ApiErrors, ApiErrorsWith } from '../../platform/http/error.dto.js';
import { Caller, type Principal } from '../../platform/security/principal.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireApiKey } from '../../platform/security/require-scope.decorator.js';
import { LEGACY_EXAMPLE, LegacyPayloadDto, LegacyQueryDto } from './dto/legacy-payload.dto.js';
import { LegacyRecordErrorDto } from './dto/legacy-record-error.dto.js';
import { LegacyReportDto } from './dto/legacy-report.dto.js';
import { LEGACY_SHAPE } from './legacy-body.js';
import { LegacyWebhookService } from './legacy-webhook.service.js';
import { TABLE_ERRORS } from '../../../packages/tables/src/catalog/tables.errors.js';
import { LEGACY_ERRORS } from './legacy-webhook.errors.js';

/** Master data of the legacy schema (specification, section 4.3). */
@ApiGroup({
  name: 'Legacy webhook',
  description:
    'The former path for master data, with an API key. New integrations use Tables: push, which writes the same tables.',
  guide: 'migrating-from-the-webhook',
})
@ObeysPolicies()
@Controller('v1/api/notes/erp')
export class LegacyWebhookController {
  constructor(private readonly webhook: LegacyWebhookService) {}

  @Post('webhook')
  @RequireApiKey('write:workspaces', 'editor')
  @Deprecated({ since: '2026-11-21', successor: '/v2/api/workspaces/{workspaceId}/cw/bulk' })
  @BodyLimit('bulk', 'Send several requests, or the records of each table as a file to its items/import.')
  @BodyShape(LEGACY_SHAPE)
  @ExactNumbers()
  @ApiOperation({
    summary: 'Upsert master data of the legacy schema',
    description:
      'Accepts only `X-API-Key` and stores records in the workspace of the key. Each record is upserted by its external ID ' +
      'into the table of its array. The first request creates the tables. Field names match in any letter case; others ' +
      'are ignored and reported. Of several records with one external ID, the last one is stored.',
  })
  @ApiBody({
    type: LegacyPayloadDto,
    examples: { all: { summary: 'All five arrays; each is optional', value: LEGACY_EXAMPLE } },
  })
  @Enveloped(LegacyReportDto, {
    description: 'All records were stored.',
    also: {
      201: 'The same, and a table was created.',
      202: 'The proposal `proposalId` waits for approval. Nothing was stored.',
      207: 'With `onError=continue`: the valid records were stored.',
    },
  })
  @ApiErrors(TABLE_ERRORS.too_many_rows, TABLE_ERRORS.too_many_tables)
  @ApiErrors(TABLE_ERRORS.table_busy, TABLE_ERRORS.table_changed)
  @ApiErrorsWith(LegacyRecordErrorDto, LEGACY_ERRORS.invalid_records, LEGACY_ERRORS.incompatible_table)
  async push(
    @Caller() caller: Principal,
    @Query() query: LegacyQueryDto,
    @Body() body: unknown,
  ): Promise<Reply<LegacyReportDto>> {
    return toReply(await this.webhook.push(caller, body, query.onError === 'continue'));
  }
}

/** The status codes of the bulk request. */
function toReply(report: LegacyReportDto): Reply<LegacyReportDto> {
  if (report.proposalId !== undefined) return new Reply(report, { status: 202, message: 'Waits for approval' });
  const { failed } = report.totals;
  if (failed > 0) {
    const message = failed === 1 ? '1 record was not stored' : `${failed} records were not stored`;
    return new Reply(report, { status: 207, message });
  }
  const created = report.arrays.some(({ tableCreated }) => tableCreated);
  return new Reply(report, { status: created ? 201 : 200, message: 'Stored' });
}
