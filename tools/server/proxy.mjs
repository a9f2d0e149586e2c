// Passes everything on to a server and adds its token: for clients that cannot send one.
import http from "node:http";

const [target, token] = process.argv.slice(2);
const url = new URL(target);
http
  .createServer((request, response) => {
    const headers = { ...request.headers, host: url.host, authorization: `Bearer ${token}` };
    delete headers.origin;
    const passed = http.request(
      { host: url.hostname, port: url.port, path: request.url, method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  })
  .listen(7879, "127.0.0.1");
