// What a callback returns to Envoy.

/** The filter chain continues. */
export const CONTINUE: i32 = 0;
/**
 * For headers: Envoy holds them and calls the body callbacks (needs `allow_on_headers_stop_iteration`). For a body: Envoy
 * holds it and everything after it; the next callback gets all that is held.
 */
export const STOP: i32 = 1;
