import { ApiProperty } from '@nestjs/swagger';

/** A request, a notification or a response of JSON-RPC 2.0. */
export class ProtocolMessageDto {
  @ApiProperty({ enum: ['2.0'] })
  jsonrpc: string;

  /** Absent in a notification; null in the response to a message that was not read. */
  @ApiProperty({ required: false, oneOf: [{ type: 'string' }, { type: 'number' }], nullable: true, example: 1 })
  id?: string | number | null;

  @ApiProperty({ required: false, example: 'ping' })
  method?: string;

  @ApiProperty({ type: 'object', selfRequired: false, additionalProperties: true })
  params?: object;

  /** Of a response. */
  @ApiProperty({ type: 'object', selfRequired: false, additionalProperties: true })
  result?: object;

  /** Of a response: `code`, `message` and `data`. */
  @ApiProperty({ type: 'object', selfRequired: false, additionalProperties: true })
  error?: object;
}
