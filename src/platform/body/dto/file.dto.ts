import { ApiProperty } from '@nestjs/swagger';

/** A file in a JSON body. */
export class FileDto {
  /** Name to display; a path in it is removed. */
  @ApiProperty({ example: 'valve.jpg' })
  filename: string;

  /** Ignored: the type is detected from the content. */
  @ApiProperty({ required: false, example: 'image/jpeg' })
  contentType?: string;

  /** Base64 (RFC 4648, both alphabets, line breaks allowed), or a data URI of the form `data:<type>;base64,<data>`. */
  @ApiProperty({
    contentEncoding: 'base64',
    example:
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  } as object)
  data: string;
}
