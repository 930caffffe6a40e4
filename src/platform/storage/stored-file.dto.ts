import { ApiProperty } from '@nestjs/swagger';

/** What a file is, judged by its content. */
export const FILE_KINDS = ['image', 'audio', 'video', 'pdf'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** A file of a record, as callers see it. */
export class StoredFileDto {
  @ApiProperty({ format: 'uuid' })
  id: string;

  /** As it was sent, made safe for display. */
  @ApiProperty({ example: 'feed-pump-2.jpg' })
  filename: string;

  /** Judged by content. */
  @ApiProperty({ example: 'image/jpeg' })
  contentType: string;

  @ApiProperty({ enum: FILE_KINDS })
  kind: FileKind;

  /** In bytes. */
  @ApiProperty({ type: 'integer', example: 102400 })
  size: number;

  /** Of the bytes, in hexadecimal digits. */
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  sha256: string;

  /** In pixels; null until an image has been looked at, which follows within seconds, and for what is none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 4032 })
  width: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 3024 })
  height: number | null;

  /** Where anybody may download it, until `urlExpiresAt`. */
  @ApiProperty({ format: 'uri' })
  url: string;

  /** An image in small, likewise; null where there is none, or not yet. */
  @ApiProperty({ type: String, format: 'uri', nullable: true })
  thumbnailUrl: string | null;

  urlExpiresAt: Date;

  createdAt: Date;
}
