import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Config } from '../../platform/config/config.js';
import { FinishedReply } from '../../platform/http/finished-reply.js';
import { UuidPipe } from '../../platform/http/validation/uuid.pipe.js';
import { ObeysPolicies } from '../../platform/security/obeys-policies.decorator.js';
import { RequireScope } from '../../platform/security/require-scope.decorator.js';
import { getFeedUrl } from './links.js';

/** The file with which Power BI connects to the feed. */
@ApiTags('OData feed')
@ObeysPolicies()
@Controller('v2/api/workspaces/:workspaceId')
export class PowerBiController {
  constructor(private readonly config: Config) {}

  @Get('power-bi.pbids')
  @RequireScope('read:workspaces', 'reader')
  @ApiOperation({
    summary: 'Download a connection file for Power BI',
    description: 'Power BI Desktop opens the file and connects to the OData feed. It contains no credentials.',
  })
  @ApiResponse({
    status: 200,
    description: 'The file.',
    content: { '*/*': { schema: { type: 'string', contentMediaType: 'application/octet-stream' } as never } },
  })
  connection(
    @Param('workspaceId', UuidPipe) workspaceId: string,
    @Res({ passthrough: true }) response: Response,
  ): FinishedReply {
    const url = `${getFeedUrl(this.config.http.publicUrl, workspaceId)}/`;
    const file = {
      version: '0.1',
      connections: [{ details: { protocol: 'odata', address: { url } }, mode: 'Import' }],
    };
    response.set({
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': 'attachment; filename="atrium.pbids"',
    });
    return new FinishedReply(`${JSON.stringify(file, undefined, 2)}\n`);
  }
}
