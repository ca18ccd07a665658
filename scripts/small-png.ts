/** Makes a picture of a page small: its 256 most frequent colours, to which the others are moved. Text of a page has few more. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** `png`: of a browser: eight bits a channel, with or without alpha, not interlaced. */
export function smallPng(png: Buffer): Buffer {
  const { width, height, pixels } = decoded(png);
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  const palette = paletteOf(byCount);
  const places = new Map(byCount.map((colour) => [colour, nearest(colour, palette)]));
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) lines[y * (width + 1) + 1 + x] = places.get(pixels[y * width + x] ?? 0) ?? 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits, places in the palette.
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff]));
  const data = deflateSync(lines, { level: 9, memLevel: 9 });
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The most frequent of shades that look the same: edges of letters have hundreds. */
function paletteOf(byCount: readonly number[]): readonly number[] {
  const shades = new Map<number, number>();
  for (const colour of byCount) {
    const shade = colour & 0xf8f8f8;
    if (!shades.has(shade)) shades.set(shade, colour);
  }
  return [...shades.values()].slice(0, 256);
}

/** Pixels as 0xRRGGBB, from the upper left. */
function decoded(png: Buffer): { readonly width: number; readonly height: number; readonly pixels: Uint32Array } {
  const parts: Buffer[] = [];
  let at = signature.length;
  while (at < png.length) {
    const size = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [depth, type, interlaced] = [png[24], png[25], png[28]];
  if (depth !== 8 || (type !== 2 && type !== 6) || interlaced !== 0)
    throw new Error(`a PNG of depth ${depth}, type ${type} cannot be read here`);
  const bytes = type === 6 ? 4 : 3;
  const raw = unfiltered(inflateSync(Buffer.concat(parts)), width * bytes, bytes);
  const pixels = new Uint32Array(width * height);
  for (let pixel = 0; pixel < pixels.length; pixel += 1) pixels[pixel] = raw.readUIntBE(pixel * bytes, 3);
  return { width, height, pixels };
}

/** Lines without the filters that PNG gives each of them. */
function unfiltered(data: Buffer, stride: number, bytes: number): Buffer {
  const height = data.length / (stride + 1);
  const lines = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x >= bytes ? (lines[at - bytes] ?? 0) : 0;
      const above = y > 0 ? (lines[at - stride] ?? 0) : 0;
      const corner = x >= bytes && y > 0 ? (lines[at - stride - bytes] ?? 0) : 0;
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      lines[at] = ((data[y * (stride + 1) + 1 + x] ?? 0) + guess) & 0xff;
    }
  }
  return lines;
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((one) => Math.abs(guess - one)) as [
    number,
    number,
    number,
  ];
  return toLeft <= toAbove && toLeft <= toCorner ? left : toAbove <= toCorner ? above : corner;
}

function nearest(colour: number, palette: readonly number[]): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [place, one] of palette.entries()) {
    const distance = [16, 8, 0].reduce(
      (sum, bits) => sum + (((one >> bits) & 0xff) - ((colour >> bits) & 0xff)) ** 2,
      0,
    );
    if (distance < least) [best, least] = [place, distance];
    if (distance === 0) break;
  }
  return best;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([size, named, sum]);
}
