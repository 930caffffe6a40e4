import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsString, MaxLength } from 'class-validator';

/** Query of a signed URL. */
export class SignedUrlDto {
  /** Expiry of the URL, in seconds since the Unix epoch. */
  @ApiProperty({ type: 'integer', example: 1767225600 })
  @Type(() => Number)
  @IsInt()
  expires: number;

  @ApiProperty({ example: '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU' })
  @IsString()
  @MaxLength(100)
  signature: string;
}
