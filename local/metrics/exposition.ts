/** Numbers as Prometheus reads them: its text format, version 0.0.4. */
import type { RequestListener } from 'node:http';
import { type Logger, messageOf } from 'aws-on-loopback/logger.ts';

export interface Sample {
  /** Name with suffix: for a summary, `_sum` or `_count`. @default the name of the family */
  readonly suffix?: '_sum' | '_count';
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'summary';
  readonly samples: readonly Sample[];
}

export function exposition(families: readonly MetricFamily[]): string {
  return families
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${textOf(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

/** `GET /metrics`, without a token: it has numbers, and no name of a manifest, node or user. */
export function metricsListener(collect: () => Promise<readonly MetricFamily[]>, logger: Logger): RequestListener {
  const answer = async (path: string | undefined) => {
    if (path !== '/metrics') return { status: 404, text: 'there is only /metrics\n' };
    try {
      return { status: 200, text: exposition(await collect()) };
    } catch (error) {
      logger.error('metrics could not be collected', { cause: messageOf(error) });
      return { status: 503, text: 'metrics could not be collected; the log of the platform says why\n' };
    }
  };
  return async (request, response) => {
    const { status, text } = await answer(request.method === 'GET' ? request.url?.split('?')[0] : undefined);
    response.writeHead(status, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    });
    response.end(text);
  };
}

function textOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
