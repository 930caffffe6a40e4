import { ApiProperty, PickType } from '@nestjs/swagger';

/** A request, a notification or a response of JSON-RPC 2.0. */
export class ProtocolMessageDto {
  @ApiProperty({ enum: ['2.0'] })
  jsonrpc: string;

  /** Absent in a notification. */
  @ApiProperty({ required: false, oneOf: [{ type: 'string' }, { type: 'number' }], nullable: true, example: 1 })
  id?: string | number | null;

  @ApiProperty({ required: false, example: 'ping' })
  method?: string;

  @ApiProperty({ type: 'object', selfRequired: false, additionalProperties: true })
  params?: object;

  @ApiProperty({ type: 'object', selfRequired: false, additionalProperties: true })
  result?: object;

  /** `code`, `message` and `data`. */
  @ApiProperty({ type: 'object', selfRequired: false, additionalProperties: true })
  error?: object;
}

/** A response of JSON-RPC 2.0 with an error. */
export class ProtocolErrorDto extends PickType(ProtocolMessageDto, ['jsonrpc', 'id', 'error']) {}
