// Which hosts a proxy applies to, and its credentials.
import { describe, expect, it } from "vitest";
import { authorization, exceptionsForNode, isExempt, parseProxyUrl } from "../../../model/proxy.ts";

describe("exceptions", () => {
  it.each([
    ["api.example.com", "example.com", true],
    ["example.com", "example.com", true],
    ["example.com", ".example.com", true],
    ["api.example.com", "*.example.com", true],
    ["API.Example.com", "EXAMPLE.com", true],
    ["notexample.com", "example.com", false],
    ["api.example.com", "*", true],
    ["api.example.com", "api.example.com:443", true],
    ["api.example.com", "api.example.com:8443", false],
    ["10.1.2.3", "10.0.0.0/8", true],
    ["11.1.2.3", "10.0.0.0/8", false],
    ["10.1.2.3", "10.1.2.3", true],
    ["10.1.2.3", "10.0.0.0/99", false],
    ["fd00::1", "fd00::/8", true],
    ["fd00::1", "[fd00::1]:443", true],
    ["api.example.com", "", false],
    ["localhost", "", true],
    ["127.0.0.9", "", true],
    ["169.254.169.254", "", true],
  ])("%s with %s", (host, pattern, expected) => {
    expect(isExempt({ host, port: 443 }, [pattern])).toBe(expected);
  });

  it("a name becomes a name and a domain for Node", () => {
    expect(exceptionsForNode(["example.com", ".a.test", "10.0.0.1"])).toMatch(
      /,example\.com,\.example\.com,\.a\.test,10\.0\.0\.1$/,
    );
  });
});

describe("the URL of a proxy", () => {
  it("user and password are decoded before they are encoded for the header", () => {
    const header = authorization("http://me:p%40ss%3Aw%C3%B6rd@proxy:3128");
    expect(Buffer.from(header.replace("Basic ", ""), "base64").toString()).toBe("me:p@ss:wörd");
  });

  it.each(["socks5://proxy", "http://proxy/path", "http://me:50%off@proxy", "http://", ""])(
    "%s is rejected",
    (text) => {
      expect(parseProxyUrl(text)).toBeNull();
    },
  );

  it("a URL without a scheme is http", () => {
    expect(parseProxyUrl("proxy.test:3128")?.href).toBe("http://proxy.test:3128/");
  });
});
