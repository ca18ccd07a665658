/** AWS: the price list bulk API, without a login. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { PriceSource, ReadPrices, WantedPrices } from '../price-source.ts';

export const prices: PriceSource = async (wanted, { get }) => {
  const lists = 'https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current';
  const { body } = await get(`${lists}/${wanted.region}/index.csv`);
  if (body === null) throw new Error('the answer is empty');
  return parseAws(createInterface({ input: Readable.from(body) }), wanted);
};

/**
 * The CSV of EC2 in AWS' price list bulk API: five lines about the file, then a header, then hundreds of thousands of rows, so it is
 * read line by line. Linux, on demand, shared tenancy, without software; a row costs nothing where capacity is reserved.
 */
export async function parseAws(lines: AsyncIterable<string>, { types }: WantedPrices): Promise<ReadPrices> {
  const wanted = new Set(types);
  const prices: Record<string, number> = {};
  let date = '';
  let columns: readonly string[] | undefined;
  for await (const line of lines) {
    const cells = cellsOf(line);
    if (cells[0] === 'Publication Date') date = cells[1]?.slice(0, 10) ?? '';
    if (columns === undefined) {
      if (cells[0] === 'SKU') columns = cells;
      continue;
    }
    const row = (name: string) => cells[columns?.indexOf(name) ?? -1] ?? '';
    if (!wanted.has(row('Instance Type')) || Object.entries(awsRow).some(([name, value]) => row(name) !== value))
      continue;
    const price = Number(row('PricePerUnit'));
    if (price > 0) prices[row('Instance Type')] = price;
  }
  return {
    provider: 'aws',
    currency: 'USD',
    per: 'hour',
    date,
    prices,
    source: 'EC2 on-demand prices of AWS, Linux (price list bulk API)',
  };
}

const awsRow = {
  TermType: 'OnDemand',
  Unit: 'Hrs',
  Currency: 'USD',
  Tenancy: 'Shared',
  'Operating System': 'Linux',
  'Pre Installed S/W': 'NA',
  CapacityStatus: 'Used',
} as const;

/** Cells of a line of CSV; quotes are doubled inside of quotes. */
function cellsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'),
  );
}
