// A worker for pages that are opened from disk, where browsers start none: its script
// runs in a hidden frame, and the search of the site in it.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const { contentWindow: inside, contentDocument: page } = this.frame;
      inside.postMessage = (data) => {
        const message = new MessageEvent("message", { data: structuredClone(data) });
        this.onmessage?.(message);
        this.dispatchEvent(message);
      };
      const script = Object.assign(page.createElement("script"), { src: url });
      this.loaded = new Promise((resolve) => script.addEventListener("load", resolve));
      page.body.append(script);
    }

    postMessage(data) {
      const { contentWindow: inside } = this.frame;
      const message = new inside.MessageEvent("message", { data: structuredClone(data) });
      this.loaded.then(() => inside.dispatchEvent(message));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
