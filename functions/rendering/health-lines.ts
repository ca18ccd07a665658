/** The health checks of a group as `templates/ansible/files/health.sh` reads them. */
import { checkName, type HealthCheck, mostTries } from '#domain/health-check.ts';

/** A line for each: words of the script, then texts of the user in base64; `-` means none. */
export function healthLines(checks: readonly HealthCheck[]): string {
  return checks.map(lineOf).join('\n');
}

function lineOf(check: HealthCheck): string {
  const { ask, timeout, pause, unhealthyAfter, healthyAfter } = check;
  const web = ask.kind === 'http' ? ask : undefined;
  const port = ask.kind === 'exec' ? '-' : ask.port;
  const texts = [checkName(check), web?.path, web?.body, ask.kind === 'exec' ? ask.command : undefined];
  return [
    ...[ask.kind, port, web?.tls ? 1 : 0, web?.status ?? '-'],
    ...[timeout, pause, unhealthyAfter, healthyAfter, mostTries(check)],
    ...texts.map((text) => (text ? encoded(text) : '-')),
  ].join(' ');
}

function encoded(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
