/** A plan for people: waypoints, stages with reasons, nodes, what is refused, and totals. */
import type { PlanReport } from '#contracts/api-bodies.ts';
import { type DescribedWaypoint, describeClusterPlan } from '#domain/planning/text/describe-plan.ts';
import { totalsText } from '#domain/planning/text/plan-totals.ts';
import { counted } from '#domain/words.ts';
import { costLines } from './cost-lines.ts';
import { demandLines } from './describe-manifest.ts';
import { faultLines } from './faults.ts';
import { paint, print, printWrapped } from './output.ts';
import { refusedFaults } from './refusals.ts';
import { ago } from './times.ts';

/** Prints it; totals are left out when it has faults. `document` is what was planned, if it was read from a file: faults name the line. */
export function showPlan(report: PlanReport, document?: unknown): void {
  const goal = report.rollbackTo === undefined ? '' : `: rollback to generation ${report.rollbackTo}`;
  print(`${paint('bold', `${report.namespace}/${report.name}`)}${goal}`);
  for (const line of faultLines([...report.faults, ...refusedFaults(report, document)], 'fault')) print(line);
  for (const line of faultLines(report.warnings, 'warning')) print(line);
  if (report.faults.length > 0) return;
  for (const plan of report.clusters) showCluster(plan);
  for (const { cluster, ...demand } of report.demand) {
    print();
    print(`  cluster ${paint('bold', cluster)} is asked for more than the manifest says:`);
    for (const line of demandLines(demand)) print(`  ${line}`);
  }
  for (const { cluster, differs, items, checkedAt } of report.drift) {
    print();
    printWrapped(`  ${paint('yellow', 'drift:')} cluster ${cluster}: ${differs} (checked ${ago(checkedAt)})`, 4);
    for (const { message } of items) printWrapped(`    · ${message}`, 6);
  }
  if (report.clusters.length === 0) print('  nothing to do: there are no clusters');
  else {
    print();
    printWrapped(`  total: ${totalsText(report.totals)}`, 4);
  }
  if (report.costOfMonth) for (const line of costLines(report.costOfMonth)) printWrapped(`  ${line}`, 6);
  for (const { text, needsApproval } of report.budgets)
    printWrapped(`  ${needsApproval ? paint('yellow', text) : text}`, 4);
  if (report.healthChecks) printWrapped(`  ${healthLine(report.healthChecks)}`, 4);
  if (report.id === null) return;
  print(`  plan ${report.id}`);
  if (report.needsApproval && report.hasWork)
    printWrapped(
      paint('yellow', '  someone with the role approver has to approve it: `apply` keeps it as proposed'),
      4,
    );
}

function healthLine({ interval, machines, dollarsOfMonth }: NonNullable<PlanReport['healthChecks']>): string {
  const asked = `health checks of ${counted(machines, 'machine')}`;
  if (interval === 'off') return `${asked}: never asked, as driftChecks.interval is off`;
  const { container, lambda } = dollarsOfMonth;
  const price = `about $${lambda.toFixed(2)} a month in AWS, $${container.toFixed(2)} in containers`;
  return `${asked}: asked every ${interval}, ${price}; nothing on the local platform`;
}

function showCluster(plan: PlanReport['clusters'][number]): void {
  const { summary, waypoints } = describeClusterPlan(plan);
  print();
  printWrapped(`  cluster ${paint('bold', plan.cluster)}: ${summary}`, 4);
  for (const [index, waypoint] of waypoints.entries()) showWaypoint(waypoint, index + 1);
}

function showWaypoint({ title, lines, stages, forwardOnly }: DescribedWaypoint, number: number): void {
  const [direction = '', ...rest] = title.split(': ');
  print();
  printWrapped(`  ${number}. ${paint('bold', direction)}: ${rest.join(': ')}`, 5);
  for (const { mark, text } of lines) printWrapped(`     ${paint(markStyles[mark], `${mark} ${text}`)}`, 7);
  const width = Math.max(...stages.map(({ stage }) => stage.length), 0);
  for (const { stage, reasons } of stages) {
    printWrapped(paint('dim', `       ${stage.padEnd(width)}  ${reasons.join('; ')}`), width + 9);
  }
  const end = forwardOnly
    ? 'retried, then waits for you; it is not undone'
    : 'undone: what it created is removed again';
  printWrapped(paint('dim', `       if it fails: ${end}`), 9);
}

const markStyles = { '+': 'green', '~': 'yellow', '-': 'red', '=': 'dim', '·': 'cyan' } as const;
