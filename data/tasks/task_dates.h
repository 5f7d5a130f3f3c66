/* The written forms of the `dates` task, as data. */
#ifndef HEADSCOPE_DATA_TASKS_TASK_DATES_H
#define HEADSCOPE_DATA_TASKS_TASK_DATES_H

#include "data/tasks/task.h"

/* Days run from 1900-01-01, a Monday, to 2099-12-31. */
enum { DATES_FIRST_YEAR = 1900, DATES_DAYS = 73049 };

typedef enum DateLanguage { DATE_ENGLISH, DATE_GERMAN } DateLanguage;

/* A written date. In its format a letter after % stands for a part:
 *   %e 3    %d 03   %o 3rd      day: as it is, of two digits, as an ordinal (English)
 *   %n 5    %m 05               month: as it is, of two digits
 *   %B May  %b Sep              month's name; its first three letters (English)
 *   %Y 2021                     year
 *   %A Monday  %a Mon           weekday's name; its first three letters (German: two)
 * All else stands for itself. The letters are those of strftime where that has them. */
typedef struct DateForm {
    DateLanguage language; /* of the names */
    const char *format;
} DateForm;

#define DATE_FORMS 19 /* a macro, so that the help text can hold it */

extern const DateForm date_forms[DATE_FORMS];

typedef struct Date {
    int year;
    int month;   /* 1 to 12 */
    int day;     /* 1 to 31 */
    int weekday; /* 0 Monday to 6 Sunday */
} Date;

/* The date that lies `days` after 1900-01-01; days in 0..DATES_DAYS-1. */
Date date_after(uint32_t days);

void date_write(const DateForm *form, Date date, char text[TASK_TEXT_SIZE]);

#endif
