// Passes everything on to a server and adds its token: for clients that cannot send one. Prints the port that it listens on.
import http from "node:http";

const [target, token] = process.argv.slice(2);
const url = new URL(target);
const proxy = http.createServer((request, response) => {
  // Only our own name is replaced: what a foreign page would send goes on as it is.
  const own = `127.0.0.1:${proxy.address().port}`;
  const named = (text) => text?.replace(own, url.host).replace(own.replace("127.0.0.1", "localhost"), url.host);
  const headers = { ...request.headers, host: named(request.headers.host), authorization: `Bearer ${token}` };
  if (headers.origin) headers.origin = named(headers.origin);
  const passed = http.request(
    { host: url.hostname, port: url.port, path: request.url, method: request.method, headers },
    (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    },
  );
  passed.on("error", () => response.destroy());
  request.pipe(passed);
});
proxy.listen(0, "127.0.0.1", () => console.log(proxy.address().port));
