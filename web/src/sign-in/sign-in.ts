import './sign-in.css';

// The place someone came for is after the #, which no server sees: it is taken along through the
// form, and a browser keeps it over the redirect to the page.
document.querySelector('form')!.action += location.hash;
