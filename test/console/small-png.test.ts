/** Pictures of the documentation: smaller, with the same colours where these are few. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { smallPng } from '../../scripts/small-png.ts';

const red = [255, 0, 0];
const blue = [0, 0, 255];

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}

/** Three pixels wide, two high: red, blue, blue above red, red, blue; the first line has the filter Sub, the second Up. */
function picture(): Buffer {
  const head = Buffer.from([0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
  const lines = Buffer.from([[1], red, [1, 0, 255], [0, 0, 0], [2], [0, 0, 0], [255, 0, 1], [0, 0, 0]].flat());
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunksOf(png: Buffer): Readonly<Record<string, Buffer>> {
  const found: Record<string, Buffer> = {};
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    found[png.toString('latin1', at + 4, at + 8)] = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
  return found;
}

it('a picture with few colours keeps each pixel, as a place in its palette', () => {
  const { IHDR, PLTE, IDAT } = chunksOf(smallPng(picture()));
  expect([IHDR?.readUInt32BE(0), IHDR?.readUInt32BE(4), IHDR?.[9]]).toEqual([3, 2, 3]);
  const palette = [...(PLTE ?? [])];
  const lines = [...inflateSync(IDAT ?? Buffer.alloc(0))];
  const colours = [...lines.slice(1, 4), ...lines.slice(5)].map((place) => palette.slice(3 * place, 3 * place + 3));
  expect(colours).toEqual([red, blue, blue, red, red, blue]);
});

it('a picture of another depth is refused', () => {
  const png = picture();
  png[24] = 16;
  expect(() => smallPng(png)).toThrow('a PNG of depth 16');
});
