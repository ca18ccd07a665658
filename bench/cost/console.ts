/** Pure: what the web console in AWS costs, which asks once a second while something happens and every ten seconds else. */
import { assumptions } from './assumptions.ts';
import { type Bill, billOf, dollars } from './bill.ts';
import { none } from './count-calls.ts';
import book from './prices.json' with { type: 'json' };

const price = book.prices;
const GB = 1e9;

/** Cost of this many requests: CloudFront, the API and its function. */
export function requestsOfConsole(requests: number): Bill {
  const { readsOfRequest, bytesOfAnswer } = assumptions.console;
  const counts = { ...none(), apiRequests: requests, calls: requests, tableReads: requests * readsOfRequest };
  const edge = requests * (price.edgeRequest + (bytesOfAnswer / GB) * price.edgeGb);
  return { ...billOf(counts), CloudFront: edge };
}

export interface ConsoleCost {
  /** A month in which no one looks. */
  readonly idleMonth: number;
  /** A working day of one person, on a page where something happens all the time, and where nothing does. */
  readonly busyDay: number;
  readonly calmDay: number;
}

export function costOfConsole(): ConsoleCost {
  const day = (everySeconds: number): number =>
    dollars(requestsOfConsole(assumptions.workingDaySeconds / everySeconds));
  return { idleMonth: (assumptions.console.fileBytes / GB) * price.objectGbMonth, busyDay: day(1), calmDay: day(10) };
}
