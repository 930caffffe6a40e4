import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import contentDisposition from 'content-disposition';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { base64, bytesOf, download, file, form, localUrl, sendForm, sha256 } from '../support/files.js';
import { ROOT } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';
import { until } from '../support/until.js';

/** Files that public bug reports of comparable programs describe. `test/fixtures/field-cases/api` contains them. */
interface MediaCase {
  name: string;
  kind: 'image' | 'audio' | 'video' | 'pdf';
  contentType: string;
  /** The extension that the downloaded name receives, if it differs from the stored one. */
  added?: string;
  /** In pixels. */
  size?: [width: number, height: number];
  hasThumbnail?: boolean;
}

const CASES: MediaCase[] = [
  // Readers accept a PDF with up to 1,024 bytes before its header.
  ...[
    '01-plain.pdf',
    '01-pdf-bom.pdf',
    '01-pdf-http-header-lines.pdf',
    '01-pdf-leading-newline.pdf',
    '01-pdf-ole-bytes.pdf',
  ].map((name): MediaCase => ({ name, kind: 'pdf', contentType: 'application/pdf' })),
  // Recorders of phones and browsers use containers of videos.
  { name: '03-voice-android-mp42.m4a', kind: 'audio', contentType: 'audio/mp4' },
  { name: '03-voice-chrome.webm', kind: 'audio', contentType: 'audio/webm' },
  { name: '03-voice-firefox.ogg', kind: 'audio', contentType: 'audio/ogg' },
  { name: '03-voice-ios.m4a', kind: 'audio', contentType: 'audio/mp4' },
  { name: '03-voice-safari-fragmented.mp4', kind: 'audio', contentType: 'audio/mp4' },
  // music-metadata has no parser for the type of 3GP, which is based on MP4.
  { name: '41-voice.3gp', kind: 'audio', contentType: 'audio/3gpp' },
  // A GIF that a program would execute by its extension.
  { name: '09-extension-mismatch.hta', kind: 'image', contentType: 'image/gif', added: '.gif' },
  // Its progressive coefficients need more memory than the limit.
  { name: '10-photo-108mp.jpg', kind: 'image', contentType: 'image/jpeg', size: [12_000, 9_000], hasThumbnail: false },
  { name: '10-photo.heic', kind: 'image', contentType: 'image/heic', size: [640, 480], hasThumbnail: false },
  { name: 'picture.bmp', kind: 'image', contentType: 'image/bmp', size: [64, 48], hasThumbnail: true },
  { name: '11-avchd.m2ts', kind: 'video', contentType: 'video/mp2t' },
  { name: '11-camcorder.mts', kind: 'video', contentType: 'video/mp2t' },
  { name: '11-ios.caf', kind: 'audio', contentType: 'audio/x-caf' },
  { name: '11-rf64.wav', kind: 'audio', contentType: 'audio/wav' },
  { name: '11-heif-brand-mif2.heic', kind: 'image', contentType: 'image/heic', size: [640, 480], hasThumbnail: false },
  {
    name: '11-avif-major-brand-mif1.avif',
    kind: 'image',
    contentType: 'image/avif',
    size: [640, 480],
    hasThumbnail: true,
  },
  { name: '20-cmyk.jpg', kind: 'image', contentType: 'image/jpeg', size: [640, 480], hasThumbnail: true },
  { name: '20-encrypted.pdf', kind: 'pdf', contentType: 'application/pdf' },
  { name: '20-exif-rotated-gps.jpg', kind: 'image', contentType: 'image/jpeg', size: [200, 320], hasThumbnail: true },
  { name: '20-iphone-hevc.mov', kind: 'video', contentType: 'video/quicktime' },
  { name: '20-moov-at-end.mp4', kind: 'video', contentType: 'video/mp4' },
  { name: '20-motion-photo.jpg', kind: 'image', contentType: 'image/jpeg', size: [640, 480], hasThumbnail: true },
  { name: '20-pdfa.pdf', kind: 'pdf', contentType: 'application/pdf' },
  { name: '20-wav-extensible.wav', kind: 'audio', contentType: 'audio/wav' },
];

const FOLDER = join(ROOT, 'test/fixtures/field-cases/api');

/** A recording of a camcorder has the extension of a TypeScript module, so the folder contains it compressed. */
function readCase(name: string): Buffer {
  if (name.endsWith('.mts')) return gunzipSync(readFileSync(join(FOLDER, `${name}.gz`)));
  return /^\d/.test(name) ? readFileSync(join(FOLDER, name)) : bytesOf(name);
}

describe('files of phones, browsers and cameras', () => {
  let service: SharedService;
  let me: Credentials;
  let api: Api;

  beforeAll(async () => {
    ({ service } = await shareService());
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
  });

  const notes = () => `/v2/api/workspaces/${me.workspaceId}/notes`;

  it.each(CASES)('$name is stored as $kind of $contentType by both transports', async (each) => {
    const { name, kind, contentType, added = '', size, hasThumbnail } = each;
    const bytes = readCase(name);
    const byForm = await sendForm(api, notes(), form({}, [file(name, bytes)]));
    const byJson = await api.post(notes(), { files: [base64(name, bytes)] });
    for (const { status, body } of [byForm, byJson]) {
      expect(status).toBe(201);
      // The tracks of containers are read after the upload.
      const found = await until(
        async () => (await api.get(`${notes()}/${body.data.id}`)).body.data.files[0],
        (stored: { kind: string }) => stored.kind === kind,
      );
      expect(found).toMatchObject({ filename: name, kind, contentType });
      const answer = await download(localUrl(service, body.data.files[0].url));
      expect(sha256(answer.bytes)).toBe(sha256(bytes));
      expect(answer.headers.get('content-type')).toBe(contentType);
      expect(answer.headers.get('content-disposition')).toBe(contentDisposition(name + added));
    }
    if (!size) return;
    const path = `${notes()}/${byForm.body.data.id}`;
    const analyzed = await until(async () => {
      const [found] = (await api.get(path)).body.data.files;
      return found.width !== null && (!hasThumbnail || found.thumbnailUrl) ? found : undefined;
    });
    expect([analyzed.width, analyzed.height]).toEqual(size);
    expect(analyzed.thumbnailUrl !== null).toBe(hasThumbnail);
    if (!hasThumbnail) return;
    // A thumbnail is upright, and contains no metadata such as a position.
    const { bytes: thumbnail } = await download(localUrl(service, analyzed.thumbnailUrl));
    expect(thumbnail.toString('latin1', 8, 12)).toBe('WEBP');
    expect(thumbnail.includes('EXIF')).toBe(false);
  });

  it('a stored name has no bidirectional controls, and its download without credentials has the extension of its content', async () => {
    const bytes = readCase('09-extension-mismatch.hta');
    const stored = await api.post(notes(), { files: [base64('plan\u202efdp.hta', bytes)] });
    const [found] = stored.body.data.files;
    expect(found.filename).toBe('planfdp.hta');
    const answer = await download(localUrl(service, found.url));
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="planfdp.hta.gif"');
  });
});
