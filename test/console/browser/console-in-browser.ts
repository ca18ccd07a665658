/** A platform with the sim runner and a browser with its console. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { askForCode, consoleAddress } from '#cli/commands/console.ts';
import { type ApiClient, apiClient } from '#client/api-client.ts';
import { builtConsole } from '#local/console/built-console.ts';
import { type Platform, type PlatformOptions, startPlatform } from '#local/platform.ts';
import { type UserRole, userWithRole } from './user-with-role.ts';

export interface ConsoleInBrowser {
  readonly platform: Platform;
  readonly browser: Browser;
  readonly api: ApiClient;
  /** A window of its own, signed in; its requests and what it reports are kept. */
  open(as?: Opened): Promise<Window>;
  /** The token of a new user who holds the role in all namespaces. */
  userWith(role: UserRole): Promise<string>;
  /** Stops the platform; what is returned starts it again, with its data, at the same address. */
  stopPlatform(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

interface Opened {
  /** @default the owner's */
  readonly token?: string;
  readonly scheme?: 'light' | 'dark';
  /** Its time can be moved on by a test. @default false */
  readonly clock?: boolean;
  readonly size?: { readonly width: number; readonly height: number };
}

export interface Window {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Addresses of all requests so far. */
  readonly requests: string[];
  /** What the page reported: errors, refusals of its policy. */
  readonly reports: string[];
  /** Opens a place of the console, as `manifests/team/shop`. */
  go(place: string): Promise<void>;
}

/** Debian's, which `scripts/setup.sh --console` installs. Throws with what to do. */
export function chromiumProgram(): string {
  try {
    return execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();
  } catch {
    throw new Error('the tests of the console need Chromium: scripts/setup.sh --console installs it as root');
  }
}

/** `environment`: what the platform finds, as `KUBELOOM_SIM_FAULTS`; restored at the end. */
export async function consoleInBrowser(
  environment: Readonly<Record<string, string>> = {},
  more: Pick<PlatformOptions, 'oidc'> = {},
): Promise<ConsoleInBrowser> {
  const before = { ...process.env };
  Object.assign(process.env, { KUBELOOM_LOG: 'errors', ...environment });
  const dataDir = await mkdtemp(join(tmpdir(), 'kubeloom-console-'));
  const start = (apiPort: number) =>
    startPlatform({ dataDir, runner: 'sim', apiPort, graceMs: 100, tickSeconds: 3600, ...more });
  const [browser, first] = await Promise.all([
    chromium.launch({ executablePath: chromiumProgram(), args: ['--no-sandbox', '--disable-gpu'] }),
    start(0),
    builtConsole(),
  ]);
  let platform = first;
  const { apiUrl, token: owner } = platform;
  const api = apiClient({ apiUrl, token: owner });
  return {
    browser,
    api,
    get platform() {
      return platform;
    },
    async open({ token = owner, scheme = 'light', clock = false, size = { width: 1360, height: 900 } } = {}) {
      const context = await browser.newContext({ viewport: size, colorScheme: scheme, reducedMotion: 'reduce' });
      // Nothing here says how fast a page is: what never comes is reported all the same.
      context.setDefaultTimeout(100_000);
      const page = await context.newPage();
      if (clock) await page.clock.install();
      const requests: string[] = [];
      const reports: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('pageerror', (error) => reports.push(String(error)));
      page.on('console', (message) => {
        // Networks of the machine, which tests of hosts add and remove: the page repeats its requests.
        if (message.text().includes('net::ERR_NETWORK_CHANGED')) return;
        if (message.type() === 'error' || message.type() === 'warning')
          reports.push(`${message.text()} ${message.location().url}`);
      });
      const { code } = await askForCode(apiUrl, token);
      await page.goto(consoleAddress(apiUrl, code));
      await page.getByRole('link', { name: 'Kubeloom', exact: true }).waitFor();
      return {
        context,
        page,
        requests,
        reports,
        go: async (place) => void (await page.goto(`${apiUrl}/console/#/${place}`)),
      };
    },
    userWith: (role) => userWithRole(api, dataDir, role),
    async stopPlatform() {
      await platform.stop();
      return async () => {
        platform = await start(Number(new URL(apiUrl).port));
      };
    },
    async close() {
      await browser.close();
      await platform.stop();
      await rm(dataDir, { recursive: true, force: true });
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
      Object.assign(process.env, before);
    },
  };
}

/** One cluster of simulated machines. */
export function simManifest(name: string, { compute = 2, namespace = 'default', providers = 1 } = {}) {
  const names = Array.from({ length: providers }, (_, index) => `sim-${index + 1}`);
  const pool = (pool: string, provider: string, count: number) => ({
    name: pool,
    providerSpec: { name: provider, region: 'anywhere' },
    count,
    serverType: 'small',
    image: 'linux',
  });
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name, namespace },
    spec: {
      providers: names.map((provider) => ({ name: provider, providerType: 'sim' })),
      nodePools: {
        dynamic: [
          pool('control', 'sim-1', 1),
          ...names.map((provider, index) => pool(`compute-${index + 1}`, provider, compute)),
        ],
      },
      kubernetes: {
        clusters: [
          {
            name: 'web',
            version: '1.36.0',
            network: '192.168.2.0/24',
            pools: { control: ['control'], compute: names.map((_, index) => `compute-${index + 1}`) },
          },
        ],
      },
    },
  };
}

/** Submits it and waits for the end of its run. */
export async function settled(api: ApiClient, manifest: ReturnType<typeof simManifest>): Promise<string> {
  const key = { namespace: manifest.metadata.namespace, name: manifest.metadata.name };
  await api.putManifest(key, manifest);
  return ended(api, key);
}

/** The status in which its run ends. */
export async function ended(
  api: ApiClient,
  key: { readonly namespace: string; readonly name: string },
): Promise<string> {
  for (;;) {
    const { status, lastRun } = await api.getManifest(key);
    const works = lastRun?.status === 'Running' || lastRun?.status === 'Queued';
    if ((status === 'Done' || status === 'Failed') && !works) return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Replaces all that is written in an editor of documents, which draws only the lines that one sees. */
export async function writeIn(area: Locator, text: string): Promise<void> {
  await area.press('Control+a');
  if (text === '') await area.press('Delete');
  else await area.page().keyboard.insertText(text);
}

/** What is written there, all of which is selected then: as it would be copied. */
export async function textIn(area: Locator): Promise<string> {
  await area.press('Control+a');
  return area.evaluate((content) => {
    const clipboardData = new DataTransfer();
    content.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }));
    return clipboardData.getData('text/plain');
  });
}

/** As a browser does for a tab in the background. */
export const setVisibility = (page: Page, state: 'visible' | 'hidden'): Promise<unknown> =>
  page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
     document.dispatchEvent(new Event('visibilitychange'))`,
  );
