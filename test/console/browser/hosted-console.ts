/** The console as CloudFront serves it: the built files with the headers of the stack, its settings, and the API on the same origin. */
import { request as httpRequest } from 'node:http';
import { type LoopbackServer, listenOnLoopback } from 'aws-on-loopback/server/loopback-server.ts';
import { type ConsoleSettings, pageHeaders, settingsFile } from '#contracts/console-page.ts';
import { builtConsole } from '#local/console/built-console.ts';
import { readConsoleFiles } from '#local/console/console-files.ts';

export async function hostConsole(
  settings: Extract<ConsoleSettings, { signIn: 'oidc' }>,
  apiUrl: string,
): Promise<LoopbackServer> {
  const files = await readConsoleFiles(await builtConsole());
  const headers = pageHeaders([settings.issuer]);
  return listenOnLoopback((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname.startsWith('/v1/')) {
      const { host: _, ...sent } = request.headers;
      const passed = httpRequest(
        `${apiUrl}${pathname}${search}`,
        { method: request.method ?? 'GET', headers: sent },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        },
      );
      passed.on('error', () => response.destroy());
      return void request.pipe(passed);
    }
    const name = pathname.replace(/^\/console\//, '');
    const file = files.get(name);
    if (name === settingsFile)
      response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(settings));
    else if (file)
      response
        .writeHead(200, { ...headers, 'content-type': file.type, 'cache-control': file.cacheControl })
        .end(file.body);
    else response.writeHead(404, headers).end();
  });
}
