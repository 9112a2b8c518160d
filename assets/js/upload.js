// Posts an image with the fields of a form, and says how much of it was sent.

// The answer's data, or what is wrong in the server's words; an answer that says neither is an error.
export const upload = (address, body, onProgress) => new Promise((done, fail) => {
  const request = new XMLHttpRequest();
  request.open("POST", address);
  request.setRequestHeader("Accept", "application/json");
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total ? loaded / total : 0));
  request.addEventListener("load", () => {
    const { data } = request.response ?? {};
    if (request.status === 200 && data) done(data);
    else if (request.status === 422 && data) done({ fault: data.issues.map((issue) => issue.message).join(" ") });
    else fail(new Error(String(request.status)));
  });
  request.addEventListener("error", () => fail(new Error("no connection")));
  request.send(body);
});
