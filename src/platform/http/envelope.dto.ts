import { ApiProperty } from '@nestjs/swagger';

/** The body of every successful response (specification, section 1). Each response adds the type of its `data`. */
export class Envelope {
  /** HTTP status code of the result. */
  @ApiProperty({ type: 'integer', example: 200 })
  status: number;

  /** Text about the result for people. */
  @ApiProperty({ example: 'OK' })
  message: string;

  /** Milliseconds since the Unix epoch. */
  @ApiProperty({ type: 'integer', example: 1767225600000 })
  timestamp: number;
}
