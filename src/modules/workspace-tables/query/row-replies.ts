import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isNotModified, versionEtag } from '../../../platform/http/conditional-requests.js';
import { Reply } from '../../../platform/http/envelope.js';
import { acceptedType, streamReply } from '../../../platform/http/stream-reply.js';
import type { TableRef } from '../catalog/table-ref.decorator.js';
import { ItemsQueryDto } from './dto/query-rows.dto.js';
import { EXPORT_FORMATS, EXPORT_TYPES, ExportRowsService } from './export-rows.service.js';
import { QueryRowsService } from './query-rows.service.js';

/** Replies to a query with a page, or with all rows as a stream if the header `Accept` contains an export format. */
@Injectable()
export class RowReplies {
  constructor(
    private readonly rows: QueryRowsService,
    private readonly exports: ExportRowsService,
  ) {}

  async reply(response: Response, ref: TableRef, query: ItemsQueryDto): Promise<Reply<unknown>> {
    const request: Request = response.req;
    const type = acceptedType(request, ['application/json', ...EXPORT_TYPES]);
    if (type === 'application/json') return this.replyWithPage(request, ref, query);
    const { revision, stream } = await this.exports.start(ref, query, EXPORT_FORMATS[type]);
    return streamReply(response, stream, `${type}; charset=utf-8`, { ETag: versionEtag(revision) });
  }

  private async replyWithPage(request: Request, ref: TableRef, query: ItemsQueryDto): Promise<Reply<unknown>> {
    // A page with `expand` has no ETag: it also depends on the revisions of other tables.
    const etag = (revision: number) => (query.expand ? undefined : versionEtag(revision));
    const { revision, page } = await this.rows.list(ref, query, (current) => isNotModified(request, etag(current)));
    const headers: Record<string, string> = query.expand ? {} : { ETag: versionEtag(revision) };
    return page ? new Reply(page, { headers }) : new Reply(null, { status: 304, headers, bare: true });
  }
}
